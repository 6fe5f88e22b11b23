public import PushSimulator

/// How a simulator of FCM behaves, beyond what `ServerConfiguration` says of any simulator; its properties are also this
/// one's.
@dynamicMemberLookup
public struct FCMSimulatorConfiguration: Sendable {
    public var server = ServerConfiguration()
    /// Those whose assertions are good from the start.
    public var accounts: [SimulatedAccount] = []
    public var quota = QuotaLimit()
    /// Seconds that an access token is good for.
    public var tokenLifetime: Int64 = 3_599
    /// Milliseconds before which nothing may be retried; six times that after a 429 that does not say when.
    public var leastRetryDelay: Int64 = 10_000
    /// Milliseconds after which an idle connection is closed.
    public var idleTime: Int64 = 180_000
    /// PINGs that a connection may send in its life.
    public var pingsTolerated = 2
    /// Requests after which a connection is told to go, whatever is under way; nil: never.
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
