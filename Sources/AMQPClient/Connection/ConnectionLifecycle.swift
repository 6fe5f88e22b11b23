import Pacing

/// When to connect, to which endpoint, when to wait and when to end. A value: no clock, no sockets.
package struct ConnectionLifecycle: Sendable {
    package enum Action: Sendable, Hashable {
        case connect(endpoint: Int)
        case wait(Duration)
        case end(AMQPError?)
    }

    /// A connection that lived for as long begins the back-off anew.
    private static let longestWait = Duration.seconds(30)

    private let endpointCount: Int
    /// The first failure before any success ends it, for callers that want to know at once.
    private let mustConnectAtOnce: Bool
    private var endpoint = 0
    private var hasConnected = false
    private var backoff = Backoff(first: .milliseconds(500), longest: longestWait)

    /// - Parameter endpointCount: at least 1.
    package init(endpointCount: Int, mustConnectAtOnce: Bool) {
        self.endpointCount = endpointCount
        self.mustConnectAtOnce = mustConnectAtOnce
    }

    package func started() -> Action { .connect(endpoint: endpoint) }

    package mutating func connected() {
        hasConnected = true
    }

    /// A failed attempt, or the loss of a connection.
    ///
    /// - Parameters:
    ///   - uptime: how long it had been usable; zero for a failed attempt.
    ///   - isWanted: whether there is still something to do over a new connection.
    ///   - random: 0 to 1.
    package mutating func failed(
        _ error: AMQPError, uptime: Duration, isWanted: Bool, random: Double
    ) -> Action {
        if mustConnectAtOnce && !hasConnected {
            endpoint += 1
            // Every host gets its one chance, while somebody waits for it.
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
