internal import CRabbitMQ
import Glibc

/// Lays and counts the ways of a spread, on a link's declaring channel, which is open.
struct SpreadDesk {
    /// Another worker may just have found no middle, and be about to bind the first queues past it.
    private static let graceMilliseconds: UInt32 = 1_000

    let link: BrokerLink
    let spread: AMQPSpread

    /// Makes the ways what they should be, as far as they differ.
    ///
    /// - Returns: how many queues each way has in the broker: more than are given messages, where the number was lowered.
    func lay() throws(AMQPError) -> Int {
        var missing = try missingMiddles()
        if spread.width == 1, missing.count == spread.ways.count {
            for way in spread.ways { try bindDirectly(way) }
            // Who has made the middles meanwhile has unbound no more than was bound then.
            missing = try missingMiddles()
            // What was in others' queues when the middles were deleted is to be read.
            guard missing.count < spread.ways.count else { return try countQueues() }
        }
        for middle in missing { try link.declare(middle) }
        for way in spread.ways { try lead(way) }
        if spread.width > 1, !missing.isEmpty { usleep(Self.graceMilliseconds * 1_000) }
        for way in spread.ways { try widen(way) }
        return try countQueues()
    }

    /// How many queues each way has: counted up to the first gap, since the broker's log has an error for each look at what
    /// is not there.
    func countQueues() throws(AMQPError) -> Int {
        var count = spread.width
        // The last way's are made last.
        while let names = spread.ways.last?.queues, count < names.count {
            let queue = AMQPQueue(name: names[count])
            guard try exists({ () throws(AMQPError) in _ = try LookingDesk(link: link).look(for: queue) }) else {
                break
            }
            count += 1
        }
        return count
    }

    /// Any that is there says that all ways are to have theirs.
    private func missingMiddles() throws(AMQPError) -> [AMQPExchange] {
        var missing: [AMQPExchange] = []
        for way in spread.ways
        where try !exists({ () throws(AMQPError) in try LookingDesk(link: link).look(for: way.middle) }) {
            missing.append(way.middle)
        }
        return missing
    }

    /// Over the middle, and then no more past it. As long as the middle has the first queue only, both together are one
    /// message: the broker gives a queue no message twice.
    private func lead(_ way: AMQPSpread.Way) throws(AMQPError) {
        // One binding each: the middle does not look at keys, and two would count twice.
        try link.bind(
            AMQPBinding(queue: way.queues[0], exchange: way.middle.name, routingKey: ""), queue: way.queues[0])
        for key in way.keys {
            try bind(way.middle, key: key)
            try unbind(AMQPBinding(queue: way.queues[0], exchange: spread.exchange, routingKey: key))
        }
    }

    /// Whatever others have bound before: behind a gap, too.
    private func widen(_ way: AMQPSpread.Way) throws(AMQPError) {
        for (place, queue) in way.queues.enumerated().dropFirst() {
            let binding = AMQPBinding(queue: queue, exchange: way.middle.name, routingKey: "")
            if place < spread.width { try link.bind(binding, queue: queue) } else { try unbind(binding) }
        }
    }

    private func bindDirectly(_ way: AMQPSpread.Way) throws(AMQPError) {
        for key in way.keys {
            let binding = AMQPBinding(queue: way.queues[0], exchange: spread.exchange, routingKey: key)
            try link.bind(binding, queue: binding.queue)
        }
    }

    /// Returns whether a checked exchange or queue exists. Also returns `false` if the user may not check it, because
    /// this worker then cannot use it. In both cases the broker closes the channel, and this function reopens it.
    private func exists(_ look: () throws(AMQPError) -> Void) throws(AMQPError) -> Bool {
        do throws(AMQPError) {
            try look()
            return true
        } catch {
            guard [.notFound, .accessRefused].contains(error.code), error.reply != nil else { throw error }
            try link.confirmChannelClosed(BrokerLink.declaringChannel)
            try link.openChannel(BrokerLink.declaringChannel)
            return false
        }
    }

    /// What is not bound stays so, and what is not there is not bound: RabbitMQ has no error for either.
    private func unbind(_ binding: AMQPBinding) throws(AMQPError) {
        link.pool.reset()
        let unbind = amqp_queue_unbind_t(
            ticket: 0, queue: link.pool.bytes(binding.queue), exchange: link.pool.bytes(binding.exchange),
            routing_key: link.pool.bytes(binding.routingKey), arguments: link.pool.table(binding.arguments))
        try link.call(
            CRABBITMQ_QUEUE_UNBIND, unbind, channel: BrokerLink.declaringChannel,
            "Unbinding queue \"\(binding.queue)\" from exchange \"\(binding.exchange)\"")
    }

    private func bind(_ middle: AMQPExchange, key: String) throws(AMQPError) {
        link.pool.reset()
        let bind = amqp_exchange_bind_t(
            ticket: 0, destination: link.pool.bytes(middle.name), source: link.pool.bytes(spread.exchange),
            routing_key: link.pool.bytes(key), nowait: 0, arguments: link.pool.table(AMQPFieldTable()))
        try link.call(
            CRABBITMQ_EXCHANGE_BIND, bind, channel: BrokerLink.declaringChannel,
            "Binding exchange \"\(middle.name)\" to exchange \"\(spread.exchange)\"")
    }
}
