import AMQPClient
import DequeModule

/// A quorum queue of the modelled broker (rabbitmq.com, "Quorum Queues", "Consumer Priorities"). Among the consumers
/// with free prefetch, those with the highest priority receive messages in turn.
package final class ModelQueue {
    let name: String
    /// The time after which a message at the head expires, in milliseconds, or `nil` if messages do not expire.
    let timeToLive: Int64?
    let deadLetterExchange: String?
    /// The number of times that a message may return to the queue, or `nil` for no limit.
    let deliveryLimit: Int?
    /// The maximum number of messages, from a policy, or `nil` for no limit. A full queue refuses publications.
    package var maximumLength: Int?

    private(set) var ready = Deque<ModelMessage>()
    private var consumers: [ModelConsumer] = []
    private var turn = 0
    /// The number of unsettled messages that consumers or the dead-letter worker have.
    private var taken = 0

    init(_ queue: AMQPQueue) {
        name = queue.name
        timeToLive = queue.arguments["x-message-ttl"]?.integer
        deadLetterExchange = queue.arguments["x-dead-letter-exchange"]?.string
        deliveryLimit = queue.arguments["x-delivery-limit"]?.integer.map { Int($0) }
    }

    package var count: Int { ready.count + taken }
    var isFull: Bool { maximumLength.map { count >= $0 } ?? false }

    func append(_ message: ModelMessage, at now: Int64) {
        message.enteredAt = now
        ready.append(message)
    }

    /// Requeues messages in front of all others, in their original order.
    func putBack(_ messages: [ModelMessage]) {
        taken -= messages.count
        for message in messages.reversed() { ready.prepend(message) }
    }

    /// Records that a consumer or the dead-letter worker has settled messages.
    func settled() { taken -= 1 }

    func add(_ consumer: ModelConsumer) { consumers.append(consumer) }

    func remove(_ consumer: ModelConsumer) { consumers.removeAll { $0 === consumer } }

    /// Removes and returns the message at the head, for a consumer or the dead-letter worker.
    func takeFirst() -> ModelMessage? {
        guard let first = ready.popFirst() else { return nil }
        taken += 1
        return first
    }

    /// Delivers ready messages to the consumers with free prefetch.
    func deliver() {
        while !ready.isEmpty, let consumer = nextConsumer(), let message = takeFirst() { consumer.take(message) }
    }

    private func nextConsumer() -> ModelConsumer? {
        var next: Int?
        for offset in consumers.indices {
            let place = (turn + offset) % consumers.count
            guard consumers[place].hasRoom else { continue }
            if let best = next, consumers[best].priority >= consumers[place].priority { continue }
            next = place
        }
        guard let next else { return nil }
        turn = (next + 1) % consumers.count
        return consumers[next]
    }
}
