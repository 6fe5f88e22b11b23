import AMQPClient
import Threading

/// What has arrived and is not being written: filled by the consumer's thread, emptied by who writes. Prefetch and the
/// consumer's budget of bytes bound it.
final class LedgerInbox: Sendable {
    private let waiting = Mutex<[AMQPDelivery]>([])
    /// One element when something has arrived, or it is time to look.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    private let budget: AMQPByteBudget

    /// - Parameter budget: the consumer's.
    init(_ budget: AMQPByteBudget) {
        self.budget = budget
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func hear(_ event: AMQPConsumerEvent) {
        switch event {
        case .deliveries(let deliveries): waiting.withLock { $0 += deliveries }
        // They come again.
        case .disconnected: release(take(bytes: .max))
        case .connected, .declaredAgain, .missing, .stopped, .closed: break
        }
        look()
    }

    func look() { signal.yield() }

    /// They are out of memory.
    func release(_ deliveries: [AMQPDelivery]) {
        for delivery in deliveries { budget.release(delivery) }
    }

    /// The oldest, with about so many bytes; one at least.
    func take(bytes most: Int) -> [AMQPDelivery] {
        waiting.withLock { waiting in
            var bytes = 0
            let taken = Array(
                waiting.prefix { delivery in
                    defer { bytes += delivery.body.count }
                    return bytes < most
                })
            waiting.removeFirst(taken.count)
            return taken
        }
    }
}
