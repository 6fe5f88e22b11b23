import Foundations

/// A state machine that decides when to connect, to which endpoint, when to wait and when to end. A value type without
/// clock or I/O.
package struct ConnectionLifecycle: Sendable {
    package enum Action: Sendable, Hashable {
        case connect(endpoint: Int)
        case wait(Duration)
        case end(AMQPError?)
    }

    /// The longest back-off. A connection that was usable for at least this long resets the back-off.
    private static let longestWait = Duration.seconds(30)

    private let endpointCount: Int
    /// Whether to end with the error after each endpoint has failed once, for callers that wait for the first
    /// connection.
    private let mustConnectAtOnce: Bool
    private var endpoint = 0
    private var hasConnected = false
    private var backoff = Backoff(first: .milliseconds(500), longest: longestWait)

    /// Creates a state machine.
    ///
    /// - Parameters:
    ///   - endpointCount: the number of endpoints, at least 1.
    ///   - mustConnectAtOnce: whether to end with the error after each endpoint has failed once.
    package init(endpointCount: Int, mustConnectAtOnce: Bool) {
        self.endpointCount = endpointCount
        self.mustConnectAtOnce = mustConnectAtOnce
    }

    package func started() -> Action { .connect(endpoint: endpoint) }

    package mutating func connected() {
        hasConnected = true
    }

    /// Handles a failed attempt or a lost connection.
    ///
    /// - Parameters:
    ///   - uptime: the time for which the connection was usable, or zero for a failed attempt.
    ///   - isWanted: whether a new connection has work to do.
    ///   - random: a random number from 0 to 1.
    package mutating func failed(
        _ error: AMQPError, uptime: Duration, isWanted: Bool, random: Double
    ) -> Action {
        if mustConnectAtOnce && !hasConnected {
            endpoint += 1
            // Each endpoint is tried once, because a caller is waiting.
            return isWanted && endpoint < endpointCount ? .connect(endpoint: endpoint) : .end(error)
        }
        guard isWanted else { return .end(nil) }
        endpoint = (endpoint + 1) % endpointCount
        if uptime >= Self.longestWait { backoff.succeeded() }
        return .wait(backoff.failed(random: random))
    }

    package func waited(isWanted: Bool) -> Action {
        isWanted ? .connect(endpoint: endpoint) : .end(nil)
    }
}
