public import PushSimulator

/// The configuration of a Web Push simulator. The properties of `ServerConfiguration` are available on it directly.
@dynamicMemberLookup
public struct WebPushSimulatorConfiguration: Sendable {
    /// The configuration of the server. `port` is Apple's, and the three other ports are for Mozilla, Google and
    /// Microsoft.
    public var server = ServerConfiguration()
    /// The maximum body size of a persona in bytes, if it is not 4,096. Mozilla's bridge to Android accepts about
    /// 2,700.
    public var longestBodies: [Persona: Int] = [:]

    public init() {
        server.otherPorts = [0, 0, 0]
        server.protocols = [.http2, .http1]
        server.protocolsByPort = [Persona.mozilla.place: [.http1]]
    }

    public subscript<Value>(dynamicMember member: WritableKeyPath<ServerConfiguration, Value>) -> Value {
        get { server[keyPath: member] }
        set { server[keyPath: member] = newValue }
    }
}
