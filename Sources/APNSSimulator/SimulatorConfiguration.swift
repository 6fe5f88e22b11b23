/// The configuration of an APNs simulator. The properties of `ServerConfiguration` are available on it directly.
@dynamicMemberLookup
public struct SimulatorConfiguration: Sendable {
    /// The APNs environments.
    public enum Environment: String, CaseIterable, Sendable {
        case production, sandbox
    }

    public var server = ServerConfiguration()
    /// The maximum number of channels of an app.
    public var channelLimit = 10_000
    public var environment = Environment.production
    /// The keys whose provider tokens are accepted from the start.
    public var tokenKeys: [TokenKey] = []
    /// Whether provider tokens must follow their specification exactly. Otherwise, deviations that the live service is
    /// known to accept are allowed.
    public var requiresStrictTokens = false
    /// The number of streams that a connection without a client certificate may open before its first accepted provider
    /// token.
    public var unauthenticatedStreamLimit = 1
    /// The weight of refusals after which a connection may open only one stream, or `nil` for no limit. A refusal
    /// weighs 1, BadDeviceToken 5, and a 410 nothing.
    public var refusalsBeforeSlowing: Int?
    /// The weight of refusals after which the connection is closed with GOAWAY, or `nil` for no limit.
    public var refusalsBeforeGoAway: Int?
    /// Whether a key of the other environment is refused with the spelling on Apple's page (BadEnvironmentKeyIdInToken)
    /// and not the one on the wire.
    public var spellsReasonsAsDocumented = false

    public init() {}

    /// The port for managing broadcast channels (TLS, HTTP/2), 0 for one that the system chooses, or `nil` for none.
    public var channelPort: Int? {
        get { server.otherPorts.first }
        set { server.otherPorts = newValue.map { [$0] } ?? [] }
    }

    public subscript<Value>(dynamicMember member: WritableKeyPath<ServerConfiguration, Value>) -> Value {
        get { server[keyPath: member] }
        set { server[keyPath: member] = newValue }
    }
}
