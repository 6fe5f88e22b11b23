internal import CRabbitMQ

extension BrokerLink {
    /// Work goes over later channels, so that a refused declaration does not take a consumer with it.
    static let declaringChannel: UInt16 = 1
    static let firstWorkChannel: UInt16 = 2

    /// Declares all of it on a channel of its own.
    ///
    /// - Returns: the real names of the server-named queues, by the names they have in `topology`.
    func declare(_ topology: AMQPTopology) throws(AMQPError) -> [String: String] {
        guard topology != AMQPTopology() else { return [:] }
        try openChannel(Self.declaringChannel)
        for exchange in topology.exchanges { try declare(exchange) }
        var realNames: [String: String] = [:]
        for queue in topology.queues {
            let name = try declare(queue)
            if queue.isServerNamed { realNames[queue.name] = name }
        }
        for binding in topology.bindings { try bind(binding, queue: realNames[binding.queue] ?? binding.queue) }
        try amqp_channel_close(state, Self.declaringChannel, AMQP_REPLY_SUCCESS).check("Closing a channel")
        return realNames
    }

    func openChannel(_ channel: UInt16) throws(AMQPError) {
        amqp_channel_open(state, channel)
        try amqp_get_rpc_reply(state).check("Opening a channel")
    }

    private func declare(_ exchange: AMQPExchange) throws(AMQPError) {
        pool.reset()
        amqp_exchange_declare(
            state, Self.declaringChannel, pool.bytes(exchange.name), pool.bytes(exchange.kind.rawValue), 0,
            exchange.isDurable ? 1 : 0, exchange.isAutoDelete ? 1 : 0, 0, pool.table(exchange.arguments))
        try amqp_get_rpc_reply(state).check("Declaring exchange \"\(exchange.name)\"")
    }

    private func declare(_ queue: AMQPQueue) throws(AMQPError) -> String {
        pool.reset()
        let answer = amqp_queue_declare(
            state, Self.declaringChannel, pool.bytes(queue.isServerNamed ? "" : queue.name), 0,
            queue.isDurable ? 1 : 0, queue.isExclusive ? 1 : 0, queue.isAutoDelete ? 1 : 0,
            pool.table(queue.arguments))
        try amqp_get_rpc_reply(state).check("Declaring queue \"\(queue.name)\"")
        return answer?.pointee.queue.string ?? queue.name
    }

    private func bind(_ binding: AMQPBinding, queue: String) throws(AMQPError) {
        pool.reset()
        amqp_queue_bind(
            state, Self.declaringChannel, pool.bytes(queue), pool.bytes(binding.exchange),
            pool.bytes(binding.routingKey), pool.table(binding.arguments))
        try amqp_get_rpc_reply(state).check("Binding queue \"\(queue)\" to exchange \"\(binding.exchange)\"")
    }
}
