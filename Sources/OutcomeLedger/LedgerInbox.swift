import AMQPClient
import Foundations

/// The result events that the ledger has received and not yet stored. The consumer's thread adds events, and the
/// ledger's task takes them in batches. The consumer's prefetch and byte budget limit the number of events.
final class LedgerInbox: Sendable {
    private struct State {
        var waiting: [AMQPDelivery] = []
        var inHand: [AMQPDelivery] = []
    }

    private let state = Mutex(State())
    /// A stream with a new element whenever events arrive or ``look()`` is called. It buffers one element.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    let budget: AMQPByteBudget

    /// Creates an inbox.
    ///
    /// - Parameter budget: the byte budget of the consumer. The inbox releases the bytes of events that leave it.
    init(_ budget: AMQPByteBudget) {
        self.budget = budget
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func add(_ deliveries: [AMQPDelivery]) {
        state.withLock { $0.waiting += deliveries }
        look()
    }

    /// Removes all waiting events after the connection was lost. The broker will redeliver them.
    func drop() {
        let dropped = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for delivery in dropped { budget.release(delivery) }
    }

    /// Wakes the task that reads ``signals``.
    func look() { signal.yield() }

    /// Returns the oldest waiting events, with a total size of about `most` bytes. If any event waits, at least one is
    /// returned. The returned events stay in the inbox until ``finish(_:)``.
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

    /// Removes the events of the last ``take(bytes:)`` from the inbox.
    func finish(_ deliveries: [AMQPDelivery]) {
        state.withLock { $0.inHand = [] }
        for delivery in deliveries { budget.release(delivery) }
    }

    /// The number of events in the inbox, including those that are being stored.
    var count: Int { state.withLock { $0.inHand.count + $0.waiting.count } }

    /// Returns the oldest events in the inbox, at most `most` of them.
    func oldest(_ most: Int) -> [AMQPDelivery] {
        state.withLock { Array(($0.inHand.prefix(most) + $0.waiting.prefix(most)).prefix(most)) }
    }
}
