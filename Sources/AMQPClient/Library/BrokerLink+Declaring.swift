internal import CRabbitMQ

extension BrokerLink {
    /// The channel for declarations. Other work uses higher channels, because a refused declaration closes the channel.
    static let declaringChannel: UInt16 = 1
    static let firstWorkChannel: UInt16 = 2

    /// Declares a topology on the declaring channel, or only checks it if an operator declares it.
    ///
    /// - Returns: the real names of the server-named queues, by their names in `topology`.
    @discardableResult
    func declare(_ topology: AMQPTopology) throws(AMQPError) -> [String: String] {
        guard topology != AMQPTopology() else { return [:] }
        if case .required(let remedy) = topology.provision {
            try BrokerInspector(link: self).require(topology, remedy)
            return [:]
        }
        try openChannel(Self.declaringChannel)
        for exchange in topology.exchanges { try declare(exchange) }
        var realNames: [String: String] = [:]
        for queue in topology.queues {
            let name = try declare(queue)
            if queue.isServerNamed { realNames[queue.name] = name }
        }
        for binding in topology.bindings { try bind(binding, queue: realNames[binding.queue] ?? binding.queue) }
        try closeDeclaringChannel()
        return realNames
    }

    func closeDeclaringChannel() throws(AMQPError) {
        let close = amqp_channel_close_t(
            reply_code: UInt16(AMQP_REPLY_SUCCESS), reply_text: amqp_bytes_t(), class_id: 0, method_id: 0)
        try call(CRABBITMQ_CHANNEL_CLOSE, close, channel: Self.declaringChannel, "closing a channel")
    }

    func openChannel(_ channel: UInt16) throws(AMQPError) {
        try call(CRABBITMQ_CHANNEL_OPEN, amqp_channel_open_t(), channel: channel, "Opening a channel")
        while assemblers.count <= Int(channel) {
            assemblers.append(MessageAssembler(channel: UInt16(assemblers.count)))
        }
        assemblers[Int(channel)] = MessageAssembler(channel: channel)
    }

    func declare(_ exchange: AMQPExchange) throws(AMQPError) {
        pool.reset()
        var declare = amqp_exchange_declare_t()
        declare.exchange = pool.bytes(exchange.name)
        declare.type = pool.bytes(exchange.kind.rawValue)
        declare.durable = exchange.isDurable ? 1 : 0
        declare.auto_delete = exchange.isAutoDelete ? 1 : 0
        declare.arguments = pool.table(exchange.arguments)
        try call(
            CRABBITMQ_EXCHANGE_DECLARE, declare, channel: Self.declaringChannel,
            "Declaring exchange \"\(exchange.name)\"")
    }

    func declare(_ queue: AMQPQueue) throws(AMQPError) -> String {
        pool.reset()
        var declare = amqp_queue_declare_t()
        declare.queue = pool.bytes(queue.isServerNamed ? "" : queue.name)
        declare.durable = queue.isDurable ? 1 : 0
        declare.exclusive = queue.isExclusive ? 1 : 0
        declare.auto_delete = queue.isAutoDelete ? 1 : 0
        declare.arguments = pool.table(queue.arguments)
        let declared = try call(
            CRABBITMQ_QUEUE_DECLARE, declare, channel: Self.declaringChannel, "declaring queue \"\(queue.name)\"")
        return declared?.name ?? queue.name
    }

    func bind(_ binding: AMQPBinding, queue: String) throws(AMQPError) {
        pool.reset()
        let bind = amqp_queue_bind_t(
            ticket: 0, queue: pool.bytes(queue), exchange: pool.bytes(binding.exchange),
            routing_key: pool.bytes(binding.routingKey), nowait: 0, arguments: pool.table(binding.arguments))
        try call(
            CRABBITMQ_QUEUE_BIND, bind, channel: Self.declaringChannel,
            "binding queue \"\(queue)\" to exchange \"\(binding.exchange)\"")
    }
}
