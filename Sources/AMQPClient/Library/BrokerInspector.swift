internal import CRabbitMQ

/// An inspector that checks whether exchanges and queues exist in the broker. It uses the declaring channel of a link.
struct BrokerInspector {
    let link: BrokerLink

    func look(at topology: AMQPTopology, comparesProperties: Bool) throws(AMQPError) -> AMQPInspection {
        var found = AMQPInspection(broker: link.product)
        try link.openChannel(BrokerLink.declaringChannel)
        for exchange in topology.exchanges {
            let isThere = try isThere("exchange \(exchange.name)", in: &found) { () throws(AMQPError) in
                try look(for: exchange)
            }
            guard isThere, comparesProperties else { continue }
            try note(in: &found) { () throws(AMQPError) in try link.declare(exchange) }
        }
        for queue in topology.queues where !queue.isServerNamed {
            var answer: AMQPInspection.Queue?
            let isThere = try isThere("queue \(queue.name)", in: &found) { () throws(AMQPError) in
                answer = try look(for: queue)
            }
            found.queues[queue.name] = answer
            guard isThere, comparesProperties else { continue }
            try note(in: &found) { () throws(AMQPError) in _ = try link.declare(queue) }
        }
        return found
    }

    /// Runs a check and returns whether it succeeded. Records a failure in `found`.
    private func isThere(
        _ name: String, in found: inout AMQPInspection, _ look: () throws(AMQPError) -> Void
    ) throws(AMQPError) -> Bool {
        guard let error = try verdict(of: look) else { return true }
        switch error.code {
        case .notFound: found.missing.append(name)
        case .accessRefused: found.unseen.append(name)
        default: found.problems.append(error)
        }
        return false
    }

    private func note(in found: inout AMQPInspection, _ body: () throws(AMQPError) -> Void) throws(AMQPError) {
        if let error = try verdict(of: body) { found.problems.append(error) }
    }

    /// Runs a check and returns the broker's error about the exchange or queue, or `nil` after success. The broker
    /// closes the channel after such an error, and this function reopens it.
    private func verdict(of body: () throws(AMQPError) -> Void) throws(AMQPError) -> AMQPError? {
        do throws(AMQPError) {
            try body()
            return nil
        } catch {
            guard error.isAboutObject else { throw error }
            try link.confirmChannelClosed(BrokerLink.declaringChannel)
            try link.openChannel(BrokerLink.declaringChannel)
            return error
        }
    }

    /// Checks that the exchanges and queues of a topology exist. Objects that the user may not check count as existing,
    /// so the first use of a missing one fails.
    ///
    /// - Throws: ``AMQPError/Code/notFound`` naming everything that is missing.
    func require(_ topology: AMQPTopology, _ remedy: String) throws(AMQPError) {
        let found = try look(at: topology, comparesProperties: false)
        if let problem = found.problems.first { throw problem }
        guard found.missing.isEmpty else {
            throw AMQPError(.notFound, "the broker has no \(found.missing.joined(separator: ", no ")): \(remedy)")
        }
        try link.closeDeclaringChannel()
    }

    /// Returns the names of the topology's permanent exchanges and queues (durable, and neither exclusive nor
    /// auto-delete) that do not exist in the broker. Objects that the user may not check are left out.
    func missing(of topology: AMQPTopology) throws(AMQPError) -> VanishedObjects.Missing {
        let exchanges = topology.exchanges.filter { $0.isDurable && !$0.isAutoDelete }
        let queues = topology.queues.filter {
            $0.isDurable && !$0.isExclusive && !$0.isAutoDelete && !$0.isServerNamed
        }
        guard !exchanges.isEmpty || !queues.isEmpty else { return VanishedObjects.Missing() }
        let found = try look(at: AMQPTopology(exchanges: exchanges, queues: queues), comparesProperties: false)
        try link.closeDeclaringChannel()
        return VanishedObjects.Missing(
            exchanges: exchanges.map(\.name).filter { found.missing.contains("exchange \($0)") },
            queues: queues.map(\.name).filter { found.missing.contains("queue \($0)") })
    }

    /// Requests a consumer with an argument that RabbitMQ refuses, and records whether the user may consume. RabbitMQ
    /// checks the permission first, then the queue, then the arguments, so it never delivers a message. Other brokers
    /// are not checked.
    func tryToConsume(_ queue: String, _ found: inout AMQPInspection) throws(AMQPError) {
        guard link.product.hasPrefix("RabbitMQ ") else { return }
        let error = try verdict { () throws(AMQPError) in
            link.pool.reset()
            var consume = amqp_basic_consume_t()
            consume.queue = link.pool.bytes(queue)
            consume.arguments = link.pool.table(["x-priority": "none"])
            try link.call(
                CRABBITMQ_BASIC_CONSUME, consume, channel: BrokerLink.declaringChannel,
                "testing read access to \"\(queue)\"")
        }
        switch error?.code {
        case nil:
            throw AMQPError(.protocolViolation, "the broker accepted a consumer with an invalid priority")
        case .accessRefused?: found.unreadable.append(queue)
        case .notFound?: found.missing.append("queue \(queue)")
        default: break
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
            "checking exchange \"\(exchange.name)\"")
    }

    func look(for queue: AMQPQueue) throws(AMQPError) -> AMQPInspection.Queue? {
        link.pool.reset()
        var declare = amqp_queue_declare_t()
        declare.queue = link.pool.bytes(queue.name)
        declare.passive = 1
        let found = try link.call(
            CRABBITMQ_QUEUE_DECLARE, declare, channel: BrokerLink.declaringChannel,
            "checking queue \"\(queue.name)\"")
        return found.map { AMQPInspection.Queue(messages: $0.messages, consumers: $0.consumers) }
    }
}

extension AMQPError {
    /// Whether this is the broker's error about one exchange or queue. After such an error, the broker has closed the
    /// channel but not the connection.
    var isAboutObject: Bool {
        reply != nil && [.notFound, .preconditionFailed, .accessRefused, .resourceLocked].contains(code)
    }
}
