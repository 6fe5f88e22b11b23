internal import CRabbitMQ
import Glibc

/// A helper that declares the exchanges and bindings of shards (``AMQPSharding``), and counts the shards. It uses the
/// declaring channel of a link, which must be open.
struct ShardDeclarer {
    /// The delay before further queues are bound to new ``AMQPSharding/Way/middle`` exchanges, in milliseconds. Another
    /// worker may have found no such exchange, and may still bind the first queues directly.
    private static let graceMilliseconds: UInt32 = 1_000

    let link: BrokerLink
    let sharding: AMQPSharding

    /// Declares the exchanges and bindings of all ways, and removes bindings that contradict them.
    ///
    /// - Returns: the number of queues that each way has in the broker. The number is larger than `width` if `width`
    ///   was lowered.
    func lay() throws(AMQPError) -> Int {
        var missing = try missingMiddles()
        if sharding.width == 1, missing.count == sharding.ways.count {
            for way in sharding.ways { try bindDirectly(way) }
            // Another worker may have declared `middle` exchanges meanwhile. It removed only the direct bindings that
            // existed at that time, so the check is repeated.
            missing = try missingMiddles()
            // Further queues may contain messages from the time before the `middle` exchanges were deleted. They are
            // counted, so that consumers read them.
            guard missing.count < sharding.ways.count else { return try countQueues() }
        }
        for middle in missing { try link.declare(middle) }
        for way in sharding.ways { try lead(way) }
        if sharding.width > 1, !missing.isEmpty { usleep(Self.graceMilliseconds * 1_000) }
        for way in sharding.ways { try widen(way) }
        return try countQueues()
    }

    /// Returns the number of queues that each way has in the broker. Counting stops at the first missing queue, because
    /// the broker logs an error for each check of a missing queue.
    func countQueues() throws(AMQPError) -> Int {
        var count = sharding.width
        // The queues of the last way are created last, so checking them is enough.
        while let names = sharding.ways.last?.queues, count < names.count {
            let queue = AMQPQueue(name: names[count])
            guard try exists({ () throws(AMQPError) in _ = try BrokerInspector(link: link).look(for: queue) }) else {
                break
            }
            count += 1
        }
        return count
    }

    /// Returns the `middle` exchanges that do not exist in the broker.
    private func missingMiddles() throws(AMQPError) -> [AMQPExchange] {
        var missing: [AMQPExchange] = []
        for way in sharding.ways
        where try !exists({ () throws(AMQPError) in try BrokerInspector(link: link).look(for: way.middle) }) {
            missing.append(way.middle)
        }
        return missing
    }

    /// Routes the keys of a way through its `middle` exchange, and then removes the direct bindings of the way's first
    /// queue. While both routes exist, the `middle` exchange leads only to the first queue. The broker puts a message
    /// into a queue only once, so no message is duplicated.
    private func lead(_ way: AMQPSharding.Way) throws(AMQPError) {
        // A single binding for each queue is enough, because the `middle` exchange ignores routing keys. With a second
        // binding, the exchange would count the queue twice.
        try link.bind(
            AMQPBinding(queue: way.queues[0], exchange: way.middle.name, routingKey: ""), queue: way.queues[0])
        for key in way.keys {
            try bind(way.middle, key: key)
            try unbind(AMQPBinding(queue: way.queues[0], exchange: sharding.exchange, routingKey: key))
        }
    }

    /// Binds the first `width` queues of a way to its `middle` exchange, and unbinds all further queues. This includes
    /// queues after a missing one.
    private func widen(_ way: AMQPSharding.Way) throws(AMQPError) {
        for (place, queue) in way.queues.enumerated().dropFirst() {
            let binding = AMQPBinding(queue: queue, exchange: way.middle.name, routingKey: "")
            if place < sharding.width { try link.bind(binding, queue: queue) } else { try unbind(binding) }
        }
    }

    private func bindDirectly(_ way: AMQPSharding.Way) throws(AMQPError) {
        for key in way.keys {
            let binding = AMQPBinding(queue: way.queues[0], exchange: sharding.exchange, routingKey: key)
            try link.bind(binding, queue: binding.queue)
        }
    }

    /// Runs a check and returns whether the exchange or queue exists. Also returns `false` if the user may not check
    /// it, because this worker then can't use it. After such a failed check, this function reopens the channel that the
    /// broker has closed.
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
            "unbinding queue \"\(binding.queue)\" from exchange \"\(binding.exchange)\"")
    }

    private func bind(_ middle: AMQPExchange, key: String) throws(AMQPError) {
        link.pool.reset()
        let bind = amqp_exchange_bind_t(
            ticket: 0, destination: link.pool.bytes(middle.name), source: link.pool.bytes(sharding.exchange),
            routing_key: link.pool.bytes(key), nowait: 0, arguments: link.pool.table(AMQPFieldTable()))
        try link.call(
            CRABBITMQ_EXCHANGE_BIND, bind, channel: BrokerLink.declaringChannel,
            "binding exchange \"\(middle.name)\" to exchange \"\(sharding.exchange)\"")
    }
}
