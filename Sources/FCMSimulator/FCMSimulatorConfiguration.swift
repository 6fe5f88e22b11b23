public import PushSimulator

/// The configuration of an FCM simulator. It also has all properties of `ServerConfiguration`.
@dynamicMemberLookup
public struct FCMSimulatorConfiguration: Sendable {
    public var server = ServerConfiguration()
    /// The accounts whose assertions are accepted from the start.
    public var accounts: [SimulatedAccount] = []
    public var quota = QuotaLimit()
    /// The lifetime of an access token, in seconds.
    public var tokenLifetime: Int64 = 3_599
    /// The minimum delay before a retry, in milliseconds. The delay is six times as long after a 429 without
    /// `retry-after`.
    public var leastRetryDelay: Int64 = 10_000
    /// The time after which an idle connection is closed, in milliseconds.
    public var idleTime: Int64 = 180_000
    /// The number of PINGs that a client may send on one connection.
    public var pingsTolerated = 2
    /// The number of requests after which a connection gets a GOAWAY, even if requests are in progress, or `nil` for no
    /// such limit.
    public var requestsBeforeShutdown: Int?

    public init() {
        server.protocols = [.http2, .http1]
        server.streamLimit = 100
    }

    public subscript<Value>(dynamicMember member: WritableKeyPath<ServerConfiguration, Value>) -> Value {
        get { server[keyPath: member] }
        set { server[keyPath: member] = newValue }
    }
}
