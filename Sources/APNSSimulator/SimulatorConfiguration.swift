/// The configuration of an APNs simulator. It also has all properties of `ServerConfiguration`.
@dynamicMemberLookup
public struct SimulatorConfiguration: Sendable {
    /// The APNs environments.
    public enum Environment: String, CaseIterable, Sendable {
        case production, sandbox
    }

    public var server = ServerConfiguration()
    /// The maximum number of broadcast channels of an app.
    public var channelLimit = 10_000
    public var environment = Environment.production
    /// The keys whose provider tokens are accepted from the start.
    public var tokenKeys: [TokenKey] = []
    /// Whether provider tokens must conform exactly to their specification. Otherwise, deviations that the live service
    /// is known to accept are allowed.
    public var requiresStrictTokens = false
    /// The number of streams that a connection without a client certificate may have open before its first provider
    /// token is accepted.
    public var unauthenticatedStreamLimit = 1
    /// The total weight of refusals at which a connection is limited to one stream, or `nil` to disable this. An answer
    /// with a status from 400 to 499 weighs 1, but BadDeviceToken weighs 5 and a 410 nothing.
    public var refusalsBeforeSlowing: Int?
    /// The total weight of refusals at which a connection is closed with GOAWAY, or `nil` to disable this.
    public var refusalsBeforeGoAway: Int?
    /// Whether BadEnvironmentKeyInToken is spelled as in Apple's documentation (BadEnvironmentKeyIdInToken) instead of
    /// as in real answers.
    public var spellsReasonsAsDocumented = false

    public init() {}

    /// The port for managing broadcast channels (TLS), 0 for a port that the system chooses, or `nil` for none.
    public var channelPort: Int? {
        get { server.otherPorts.first }
        set { server.otherPorts = newValue.map { [$0] } ?? [] }
    }

    public subscript<Value>(dynamicMember member: WritableKeyPath<ServerConfiguration, Value>) -> Value {
        get { server[keyPath: member] }
        set { server[keyPath: member] = newValue }
    }
}
