internal import CRabbitMQ
import Glibc

/// A helper that declares the ways of a spread and counts their queues. It uses the declaring channel of a link, which
/// must be open.
struct SpreadDesk {
    /// The delay in milliseconds before queues are added to new middles. Another worker may have found no middle, and
    /// may still bind the first queues directly.
    private static let graceMilliseconds: UInt32 = 1_000

    let link: BrokerLink
    let spread: AMQPSpread

    /// Declares the ways as far as they differ from the required state.
    ///
    /// - Returns: the number of queues that each way has in the broker. It is larger than `width` if `width` was
    ///   lowered.
    func lay() throws(AMQPError) -> Int {
        var missing = try missingMiddles()
        if spread.width == 1, missing.count == spread.ways.count {
            for way in spread.ways { try bindDirectly(way) }
            // Another worker may have declared the middles meanwhile, and it unbound only the queues that were bound at
            // that time.
            missing = try missingMiddles()
            // Other queues may contain messages from before the middles were deleted. They are counted so that
            // consumers read them.
            guard missing.count < spread.ways.count else { return try countQueues() }
        }
        for middle in missing { try link.declare(middle) }
        for way in spread.ways { try lead(way) }
        if spread.width > 1, !missing.isEmpty { usleep(Self.graceMilliseconds * 1_000) }
        for way in spread.ways { try widen(way) }
        return try countQueues()
    }

    /// Returns the number of queues of each way. It counts up to the first gap, because the broker logs an error for
    /// each check of a missing queue.
    func countQueues() throws(AMQPError) -> Int {
        var count = spread.width
        // The queues of the last way are created last.
        while let names = spread.ways.last?.queues, count < names.count {
            let queue = AMQPQueue(name: names[count])
            guard try exists({ () throws(AMQPError) in _ = try LookingDesk(link: link).look(for: queue) }) else {
                break
            }
            count += 1
        }
        return count
    }

    /// Returns the middles that do not exist in the broker. If one middle exists, all ways must have theirs.
    private func missingMiddles() throws(AMQPError) -> [AMQPExchange] {
        var missing: [AMQPExchange] = []
        for way in spread.ways
        where try !exists({ () throws(AMQPError) in try LookingDesk(link: link).look(for: way.middle) }) {
            missing.append(way.middle)
        }
        return missing
    }

    /// Routes the keys of a way through its middle, and then removes the direct bindings of its first queue. While both
    /// routes exist, the middle leads only to the first queue. Each message is then still delivered once, because the
    /// broker puts a message into a queue only once.
    private func lead(_ way: AMQPSpread.Way) throws(AMQPError) {
        // A single binding for each queue is enough, because the middle ignores keys. With a second binding, a queue
        // would count twice.
        try link.bind(
            AMQPBinding(queue: way.queues[0], exchange: way.middle.name, routingKey: ""), queue: way.queues[0])
        for key in way.keys {
            try bind(way.middle, key: key)
            try unbind(AMQPBinding(queue: way.queues[0], exchange: spread.exchange, routingKey: key))
        }
    }

    /// Binds the first `width` queues of a way to its middle and unbinds all others, including queues behind a gap.
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
    /// this worker then can't use it. In both cases the broker closes the channel, and this function reopens it.
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

    /// Removes a binding. RabbitMQ reports no error if the binding, queue or exchange does not exist.
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
