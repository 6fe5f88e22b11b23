/// When to connect, to which endpoint, when to wait and when to end. A value: no clock, no sockets.
package struct ConnectionLifecycle: Sendable {
    package enum Action: Sendable, Hashable {
        case connect(endpoint: Int)
        case wait(Duration)
        case end(AMQPError?)
    }

    private let endpointCount: Int
    /// The first failure before any success ends it, for callers that want to know at once.
    private let mustConnectAtOnce: Bool
    private var endpoint = 0
    private var hasConnected = false
    private var backoff = ReconnectBackoff()

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
        return .wait(backoff.delayAfterFailure(uptime: uptime, random: random))
    }

    package func waited(isWanted: Bool) -> Action {
        isWanted ? .connect(endpoint: endpoint) : .end(nil)
    }
}
