import AMQPClient
import Threading

/// The result events that the broker has delivered and the ledger has not stored. The consumer's thread adds them, and
/// the ledger's task takes them in batches. The prefetch and the consumer's byte budget limit their number.
final class LedgerInbox: Sendable {
    private struct State {
        var waiting: [AMQPDelivery] = []
        var inHand: [AMQPDelivery] = []
    }

    private let state = Mutex(State())
    /// A stream that yields an element after events arrive or ``look()`` is called.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    let budget: AMQPByteBudget

    /// Creates an inbox.
    ///
    /// - Parameter budget: the consumer's budget.
    init(_ budget: AMQPByteBudget) {
        self.budget = budget
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func add(_ deliveries: [AMQPDelivery]) {
        state.withLock { $0.waiting += deliveries }
        look()
    }

    /// Drops the events that wait, because the broker delivers them again.
    func drop() {
        let dropped = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for delivery in dropped { budget.release(delivery) }
    }

    /// Wakes the task that reads ``signals``.
    func look() { signal.yield() }

    /// Returns the oldest events: about `most` bytes of them, and at least one event. They count as held until
    /// ``finish(_:)``.
    func take(bytes most: Int) -> [AMQPDelivery] {
        state.withLock { state in
            var bytes = 0
            state.inHand = Array(
                state.waiting.prefix { delivery in
                    defer { bytes += delivery.body.count }
                    return bytes < most
                })
            state.waiting.removeFirst(state.inHand.count)
            return state.inHand
        }
    }

    /// Releases the events of the last ``take(bytes:)``.
    func finish(_ deliveries: [AMQPDelivery]) {
        state.withLock { $0.inHand = [] }
        for delivery in deliveries { budget.release(delivery) }
    }

    /// The number of events that are held.
    var count: Int { state.withLock { $0.inHand.count + $0.waiting.count } }

    /// Returns the events that have been held longest, at most `most` of them.
    func oldest(_ most: Int) -> [AMQPDelivery] {
        state.withLock { Array(($0.inHand.prefix(most) + $0.waiting.prefix(most)).prefix(most)) }
    }
}
