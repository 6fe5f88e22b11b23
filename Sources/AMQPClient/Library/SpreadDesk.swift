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
        if try !isSpread() {
            guard spread.width > 1 else {
                for way in spread.ways { try bindDirectly(way) }
                return 1
            }
            // Whoever finds the first one relies on the others.
            for way in spread.ways.reversed() { try link.declare(way.middle) }
            usleep(Self.graceMilliseconds * 1_000)
        }
        let count = try countQueues()
        for way in spread.ways { try lay(way, queues: count) }
        return count
    }

    /// The same number, with nothing changed.
    func width() throws(AMQPError) -> Int { try isSpread() ? try countQueues() : spread.width }

    private func isSpread() throws(AMQPError) -> Bool {
        guard let middle = spread.ways.first?.middle else { return false }
        return try exists { () throws(AMQPError) in try LookingDesk(link: link).look(for: middle) }
    }

    /// The last way's are made last.
    private func countQueues() throws(AMQPError) -> Int {
        var count = spread.width
        while let names = spread.ways.last?.queues, count < names.count {
            let queue = AMQPQueue(name: names[count])
            guard try exists({ () throws(AMQPError) in _ = try LookingDesk(link: link).look(for: queue) }) else {
                break
            }
            count += 1
        }
        return count
    }

    private func lay(_ way: AMQPSpread.Way, queues: Int) throws(AMQPError) {
        for (place, queue) in way.queues.prefix(queues).enumerated() {
            // One binding each: the middle does not look at keys, and two would count twice.
            let binding = AMQPBinding(queue: queue, exchange: way.middle.name, routingKey: "")
            if place < spread.width { try link.bind(binding, queue: queue) } else { try unbind(binding) }
        }
        for key in way.keys {
            try unbind(AMQPBinding(queue: way.queues[0], exchange: spread.exchange, routingKey: key))
            try bind(way.middle, key: key)
        }
    }

    private func bindDirectly(_ way: AMQPSpread.Way) throws(AMQPError) {
        for key in way.keys {
            let binding = AMQPBinding(queue: way.queues[0], exchange: spread.exchange, routingKey: key)
            try link.bind(binding, queue: binding.queue)
        }
    }

    /// Over what is not there the broker closes the channel, which is opened again.
    private func exists(_ look: () throws(AMQPError) -> Void) throws(AMQPError) -> Bool {
        do throws(AMQPError) {
            try look()
            return true
        } catch {
            guard error.code == .notFound, error.reply != nil else { throw error }
            try link.confirmChannelClosed(BrokerLink.declaringChannel)
            try link.openChannel(BrokerLink.declaringChannel)
            return false
        }
    }

    /// What is not bound stays so.
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
