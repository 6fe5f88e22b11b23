import AMQPClient
import DequeModule

/// A quorum queue of the modelled broker (rabbitmq.com, "Quorum Queues"). It delivers to its consumers in turn.
package final class ModelQueue {
    let name: String
    /// The time after which a message at the head expires, in milliseconds, or `nil` for never.
    let timeToLive: Int64?
    let deadLetterExchange: String?
    /// The number of times that a message may return, or `nil` for any number.
    let deliveryLimit: Int?
    /// The maximum number of messages, from a policy, or `nil` for any number. A full queue rejects messages.
    package var maximumLength: Int?

    private(set) var ready = Deque<ModelMessage>()
    private var consumers: [ModelConsumer] = []
    private var turn = 0
    /// The messages that consumers or the dead-letter worker have.
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

    /// Puts messages back in front of all others, in their original order.
    func putBack(_ messages: [ModelMessage]) {
        taken -= messages.count
        for message in messages.reversed() { ready.prepend(message) }
    }

    /// Removes a message that a consumer or the dead-letter worker had.
    func settled(_ count: Int = 1) { taken -= count }

    func add(_ consumer: ModelConsumer) { consumers.append(consumer) }

    func remove(_ consumer: ModelConsumer) { consumers.removeAll { $0 === consumer } }

    /// Takes the message at the head for the dead-letter worker.
    func takeFirst() -> ModelMessage? {
        guard let first = ready.popFirst() else { return nil }
        taken += 1
        return first
    }

    /// Gives ready messages to consumers with free prefetch, in turn.
    func deliver() {
        while !ready.isEmpty, let consumer = nextConsumer(), let message = takeFirst() { consumer.take(message) }
    }

    private func nextConsumer() -> ModelConsumer? {
        for offset in consumers.indices {
            let place = (turn + offset) % consumers.count
            guard consumers[place].hasRoom else { continue }
            turn = (place + 1) % consumers.count
            return consumers[place]
        }
        return nil
    }
}
