internal import CRabbitMQ

/// Looks for exchanges and queues, on a link's declaring channel.
struct LookingDesk {
    let link: BrokerLink

    func look(at topology: AMQPTopology, comparesProperties: Bool) throws(AMQPError) -> AMQPInspection {
        var found = AMQPInspection(broker: link.product)
        try link.openChannel(BrokerLink.declaringChannel)
        for exchange in topology.exchanges + (topology.spread?.middles ?? []) {
            try note("exchange \(exchange.name)", in: &found) { () throws(AMQPError) in
                try look(for: exchange)
                if comparesProperties { try link.declare(exchange) }
            }
        }
        for queue in topology.queues where !queue.isServerNamed {
            var answer: AMQPInspection.Queue?
            try note("queue \(queue.name)", in: &found) { () throws(AMQPError) in
                answer = try look(for: queue)
                if comparesProperties { _ = try link.declare(queue) }
            }
            found.queues[queue.name] = answer
        }
        return found
    }

    /// Over what is missing or differs, the broker closes the channel, which is opened again.
    private func note(
        _ name: String, in found: inout AMQPInspection, _ body: () throws(AMQPError) -> Void
    ) throws(AMQPError) {
        do throws(AMQPError) {
            try body()
        } catch {
            guard error.isAboutObject else { throw error }
            if error.code == .notFound { found.missing.append(name) } else { found.problems.append(error) }
            try link.confirmChannelClosed(BrokerLink.declaringChannel)
            try link.openChannel(BrokerLink.declaringChannel)
        }
    }

    /// - Throws: ``AMQPError/Code/notFound`` naming all that is missing.
    func require(_ topology: AMQPTopology, _ remedy: String) throws(AMQPError) {
        let found = try look(at: topology, comparesProperties: false)
        if let problem = found.problems.first { throw problem }
        guard found.missing.isEmpty else {
            throw AMQPError(.notFound, "the broker has no \(found.missing.joined(separator: ", no ")): \(remedy)")
        }
        try link.closeDeclaringChannel()
    }

    /// Asks for a consumer with an argument that no broker takes. RabbitMQ looks at the right first, then at the arguments, so
    /// it refuses in any case, and has delivered nothing.
    func mayConsume(_ queue: String) throws(AMQPError) -> Bool {
        guard link.product.hasPrefix("RabbitMQ ") else { return true }
        link.pool.reset()
        var consume = amqp_basic_consume_t()
        consume.queue = link.pool.bytes(queue)
        consume.arguments = link.pool.table(["x-priority": "none"])
        do throws(AMQPError) {
            try link.call(
                CRABBITMQ_BASIC_CONSUME, consume, channel: BrokerLink.declaringChannel, "Trying to read \"\(queue)\"")
            throw AMQPError(.protocolViolation, "The broker took a consumer with a priority that is no number")
        } catch {
            guard error.isAboutObject else { throw error }
            try link.confirmChannelClosed(BrokerLink.declaringChannel)
            try link.openChannel(BrokerLink.declaringChannel)
            return error.code != .accessRefused
        }
    }

    func look(for exchange: AMQPExchange) throws(AMQPError) {
        link.pool.reset()
        var declare = amqp_exchange_declare_t()
        declare.exchange = link.pool.bytes(exchange.name)
        declare.type = link.pool.bytes(exchange.kind.rawValue)
        declare.passive = 1
        try link.call(
            CRABBITMQ_EXCHANGE_DECLARE, declare, channel: BrokerLink.declaringChannel,
            "Looking for exchange \"\(exchange.name)\"")
    }

    func look(for queue: AMQPQueue) throws(AMQPError) -> AMQPInspection.Queue? {
        link.pool.reset()
        var declare = amqp_queue_declare_t()
        declare.queue = link.pool.bytes(queue.name)
        declare.passive = 1
        let found = try link.call(
            CRABBITMQ_QUEUE_DECLARE, declare, channel: BrokerLink.declaringChannel,
            "Looking for queue \"\(queue.name)\"")
        return found.map { AMQPInspection.Queue(messages: $0.messages, consumers: $0.consumers) }
    }
}

extension AMQPError {
    /// The broker's verdict on one exchange or queue, for which it has closed the channel and not the connection.
    fileprivate var isAboutObject: Bool {
        reply != nil && [.notFound, .preconditionFailed, .accessRefused, .resourceLocked].contains(code)
    }
}
