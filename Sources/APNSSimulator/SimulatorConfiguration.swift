/// How a simulator of APNs behaves, beyond what `ServerConfiguration` says of any simulator; its properties are also
/// this one's.
@dynamicMemberLookup
public struct SimulatorConfiguration: Sendable {
    /// Which of Apple's two services it stands for.
    public enum Environment: String, CaseIterable, Sendable {
        case production, sandbox
    }

    public var server = ServerConfiguration()
    /// How many channels an app may have.
    public var channelLimit = 10_000
    public var environment = Environment.production
    /// The keys whose provider tokens are accepted from the start.
    public var tokenKeys: [TokenKey] = []
    /// True: provider tokens must follow their specification to the letter; false: deviations that the live
    /// service is known to accept pass.
    public var requiresStrictTokens = false
    /// Streams a connection without a client certificate may open at once before its first good provider token.
    public var unauthenticatedStreamLimit = 1
    /// Refusals on a connection after which it may open one stream only; one of BadDeviceToken counts five, 410
    /// none. nil: as many as there are.
    public var refusalsBeforeSlowing: Int?
    /// The same, until the connection is closed with GOAWAY.
    public var refusalsBeforeGoAway: Int?
    /// True: a key of the other environment is refused as Apple's page spells it (BadEnvironmentKeyIdInToken),
    /// not as it is seen on the wire.
    public var spellsReasonsAsDocumented = false

    public init() {}

    /// The port for managing broadcast channels (TLS, HTTP/2); 0: one the system chooses; nil: none.
    public var channelPort: Int? {
        get { server.otherPorts.first }
        set { server.otherPorts = newValue.map { [$0] } ?? [] }
    }

    public subscript<Value>(dynamicMember member: WritableKeyPath<ServerConfiguration, Value>) -> Value {
        get { server[keyPath: member] }
        set { server[keyPath: member] = newValue }
    }
}
