public import PushSimulator

/// The configuration of a Web Push simulator. It also has all properties of `ServerConfiguration`.
@dynamicMemberLookup
public struct WebPushSimulatorConfiguration: Sendable {
    /// The configuration of the server. Its `port` is Apple's port, and its three other ports are for Mozilla, Google
    /// and Microsoft.
    public var server = ServerConfiguration()
    /// The maximum body size of a persona in bytes, if it is not 4,096. Mozilla's bridge to Android accepts about 2,700
    /// bytes.
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
