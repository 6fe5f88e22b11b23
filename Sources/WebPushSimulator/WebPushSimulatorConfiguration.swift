public import PushSimulator

/// How a simulator of Web Push services behaves, beyond what `ServerConfiguration` says of any simulator; its properties
/// are also this one's.
@dynamicMemberLookup
public struct WebPushSimulatorConfiguration: Sendable {
    /// `port` is Apple's; three others follow, for Mozilla, Google and Microsoft.
    public var server = ServerConfiguration()
    /// Bytes of a body that a persona takes, where it is not 4,096: Mozilla's bridge to Android takes some 2,700.
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
