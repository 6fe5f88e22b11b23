package import AMQPClient
import Contract

/// A model of RabbitMQ with quorum queues. It is built from the production topology.
///
/// | part | rule |
/// |---|---|
/// | routing | direct and fanout exchanges, topic exchanges with `#` or a literal key, alternate exchanges |
/// | full queue | the publication is refused (`reject-publish`) |
/// | time to live | only the message at the head expires |
/// | dead-lettering | at least once; up to 32 expired messages of a queue at once; after a refusal, retry after 180 s |
/// | lost connection | unsettled messages return to the head, or are dead-lettered beyond the delivery limit |
/// | confirms | after all queues have the message |
///
/// The model leaves out priorities, the consumer timeout, reordered deliveries, and single nodes of a cluster.
package final class ModelBroker {
    /// The maximum number of expired messages that a queue dead-letters at the same time, from RabbitMQ's
    /// `dead_letter_worker_consumer_prefetch`.
    private static let deadLettersAtOnce = 32
    /// The time after which RabbitMQ publishes an unconfirmed dead letter again, in milliseconds, from
    /// `dead_letter_worker_publisher_confirm_timeout`.
    private static let deadLetterPause: Int64 = 180_000

    private struct Binding {
        let key: String
        let queue: ModelQueue
    }

    private let timeline: Timeline
    private var kinds: [String: AMQPExchange] = [:]
    private var bindings: [String: [Binding]] = [:]
    package private(set) var queues: [String: ModelQueue] = [:]
    /// The queues for which a check for expired messages is scheduled.
    private var expiring: Set<String> = []
    /// The number of unconfirmed dead letters of each queue.
    private var deadLetters: [String: Int] = [:]
    /// The number of messages that clients have published.
    private(set) var published = 0
    /// The number of times that workers have published a job or a part of it, by the job's id.
    private(set) var moves: [String: Int] = [:]
    /// The function that receives each message of an exchange in place of queues, by the exchange's name.
    private var readers: [String: (ModelMessage) -> Void] = [:]

    package init(_ topology: AMQPTopology, _ timeline: Timeline) {
        self.timeline = timeline
        for exchange in topology.exchanges { kinds[exchange.name] = exchange }
        for queue in topology.queues { queues[queue.name] = ModelQueue(queue) }
        for binding in topology.bindings {
            guard let queue = queues[binding.queue] else { continue }
            bindings[binding.exchange, default: []].append(Binding(key: binding.routingKey, queue: queue))
        }
    }

    /// Adds a reader that receives each message of an exchange immediately, like a consumer without a backlog.
    func read(_ exchange: String, _ reader: @escaping (ModelMessage) -> Void) { readers[exchange] = reader }

    // MARK: Publishing

    package enum Verdict: Equatable { case confirmed, refused, unroutable }

    /// Routes a publication to its queues.
    package func publish(_ message: ModelMessage, from sender: String) -> Verdict {
        published += 1
        if let id = message.properties.messageID, message.properties.headers[JobHeader.since] != nil {
            moves[id, default: 0] += 1
        }
        let verdict = route(message)
        timeline.note(
            "\(sender) publishes to \(message.exchange) \(message.routingKey), \(verdict): \(message.summary)")
        return verdict
    }

    /// Routes a message by its own exchange or, if given, by an alternate exchange. The message keeps the name of its
    /// own exchange.
    private func route(_ message: ModelMessage, by alternate: String? = nil) -> Verdict {
        let exchange = alternate ?? message.exchange
        if let reader = readers[exchange] {
            reader(message)
            return .confirmed
        }
        let targets = targets(of: exchange, message.routingKey)
        if targets.isEmpty {
            guard let other = kinds[exchange]?.arguments["alternate-exchange"]?.string else { return .unroutable }
            return route(message, by: other)
        }
        // The broker refuses the publication, but queues with room still get the message.
        let isRefused = targets.contains(where: \.isFull)
        for queue in targets where !queue.isFull {
            // Each queue gets its own copy, because each copy counts its own returns.
            let copy =
                targets.count == 1
                ? message
                : ModelMessage(
                    exchange: message.exchange, routingKey: message.routingKey, properties: message.properties,
                    body: message.body)
            queue.append(copy, at: timeline.milliseconds)
            moved(queue)
        }
        return isRefused ? .refused : .confirmed
    }

    private func targets(of exchange: String, _ key: String) -> [ModelQueue] {
        let all = bindings[exchange] ?? []
        switch kinds[exchange]?.kind {
        case .direct: return all.filter { $0.key == key }.map(\.queue)
        case .fanout: return all.map(\.queue)
        case .topic: return all.filter { $0.key == "#" || $0.key == key }.map(\.queue)
        case .headers, nil: return []
        }
    }

    // MARK: Consuming

    func consume(
        _ name: String, tagIndex: UInt16, prefetch: Int, priority: Int32, on connection: ConsumingConnection
    ) -> ModelConsumer? {
        guard let queue = queues[name] else { return nil }
        let consumer = ModelConsumer(queue, tagIndex: tagIndex, prefetch: prefetch, priority: priority, connection)
        queue.add(consumer)
        queue.deliver()
        return consumer
    }

    func setPrefetch(_ prefetch: Int, of consumer: ModelConsumer) {
        consumer.prefetch = prefetch
        consumer.queue.deliver()
    }

    func setPriority(_ priority: Int32, of consumer: ModelConsumer) {
        consumer.replace(priority: priority)
        consumer.queue.deliver()
    }

    func acknowledge(_ number: UInt64, of consumer: ModelConsumer) {
        guard consumer.settle(number) != nil else { return }
        timeline.note("\(consumer) acknowledges \(number)")
        consumer.queue.settled()
        consumer.queue.deliver()
    }

    /// Rejects a delivery without requeueing it.
    func reject(_ number: UInt64, of consumer: ModelConsumer) {
        guard let message = consumer.settle(number) else { return }
        deadLetter(message, of: consumer.queue, because: "rejected")
        consumer.queue.deliver()
    }

    /// Ends consumers whose connection was lost. Their messages return to the head of the queue.
    func end(_ consumers: [ModelConsumer]) {
        for consumer in consumers {
            let queue = consumer.queue
            var back: [ModelMessage] = []
            for message in consumer.end() {
                message.returns += 1
                if let limit = queue.deliveryLimit, message.returns > limit {
                    deadLetter(message, of: queue, because: "delivery_limit")
                } else {
                    back.append(message)
                }
            }
            queue.putBack(back)
            moved(queue)
        }
    }

    // MARK: Expiry and dead-lettering

    /// Delivers the messages that have entered a queue, and schedules the expiry of its first message.
    private func moved(_ queue: ModelQueue) {
        queue.deliver()
        guard let life = queue.timeToLive, !expiring.contains(queue.name), let head = queue.ready.first else { return }
        expiring.insert(queue.name)
        timeline.after(milliseconds: head.enteredAt + life - timeline.milliseconds) { [self] in
            expiring.remove(queue.name)
            expire(queue, after: life)
        }
    }

    private func expire(_ queue: ModelQueue, after life: Int64) {
        while let head = queue.ready.first, head.enteredAt + life <= timeline.milliseconds {
            guard deadLetters[queue.name, default: 0] < Self.deadLettersAtOnce else { return }
            guard let message = queue.takeFirst() else { return }
            deadLetter(message, of: queue, because: "expired")
        }
        moved(queue)
    }

    /// Publishes a message that was removed from a queue to the queue's dead-letter exchange. Retries if no queue
    /// accepts it.
    private func deadLetter(_ message: ModelMessage, of queue: ModelQueue, because reason: String) {
        guard let exchange = queue.deadLetterExchange else { return queue.settled() }
        deadLetters[queue.name, default: 0] += 1
        // RabbitMQ's dead-letter worker needs some time for each message.
        timeline.after(microseconds: 200) { [self] in
            if route(message.dead(in: queue.name, to: exchange, because: reason)) != .confirmed {
                timeline.after(milliseconds: Self.deadLetterPause) { [self] in
                    deadLetters[queue.name, default: 0] -= 1
                    deadLetter(message, of: queue, because: reason)
                }
            } else {
                deadLetters[queue.name, default: 0] -= 1
                queue.settled()
                if let life = queue.timeToLive { expire(queue, after: life) }
            }
        }
    }
}
