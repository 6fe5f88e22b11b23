internal import CRabbitMQ

extension BrokerLink {
    /// Opens `channel` and consumes `queue` over it.
    func consume(
        _ queue: AMQPConsumedQueue, realName: String, as consumer: ConsumerPrefetch.Consumer, channel: UInt16
    ) throws(AMQPError) {
        try openChannel(channel)
        let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: consumer.prefetch, global: 0)
        try call(CRABBITMQ_BASIC_QOS, qos, channel: channel, "setting the prefetch of queue \"\(realName)\"")
        pool.reset()
        let consume = consuming(queue, realName, consumer)
        try call(CRABBITMQ_BASIC_CONSUME, consume, channel: channel, "consuming queue \"\(realName)\"")
    }

    /// Adds a consumer to a channel, without waiting for the answer. The answer would arrive after all deliveries in
    /// transit. The broker closes the channel if it refuses the consumer.
    func requestConsume(
        _ queue: AMQPConsumedQueue, realName: String, as consumer: ConsumerPrefetch.Consumer, channel: UInt16
    ) throws(AMQPError) {
        var qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: consumer.prefetch, global: 0)
        try check(amqp_send_method(state, channel, CRABBITMQ_BASIC_QOS, &qos), "setting a prefetch")
        pool.reset()
        var consume = consuming(queue, realName, consumer)
        consume.nowait = 1
        try check(amqp_send_method(state, channel, CRABBITMQ_BASIC_CONSUME, &consume), "adding a consumer")
    }

    private func consuming(
        _ queue: AMQPConsumedQueue, _ realName: String, _ consumer: ConsumerPrefetch.Consumer
    ) -> amqp_basic_consume_t {
        var consume = amqp_basic_consume_t()
        consume.queue = pool.bytes(realName)
        consume.consumer_tag = pool.bytes(consumer.tag)
        consume.exclusive = queue.isExclusive ? 1 : 0
        var arguments = queue.arguments
        if consumer.priority != 0 { arguments["x-priority"] = .int32(consumer.priority) }
        consume.arguments = pool.table(arguments)
        return consume
    }

    /// Asks the broker to stop deliveries to a consumer.
    ///
    /// - Parameter isAnswered: whether the broker confirms with ``Inbound/cancelled(channel:)`` after the last
    ///   delivery.
    func requestCancel(
        _ consumer: ConsumerPrefetch.Consumer, channel: UInt16, isAnswered: Bool
    ) throws(AMQPError) {
        pool.reset()
        var cancel = amqp_basic_cancel_t(consumer_tag: pool.bytes(consumer.tag), nowait: isAnswered ? 0 : 1)
        try check(amqp_send_method(state, channel, CRABBITMQ_BASIC_CANCEL, &cancel), "cancelling a consumer")
    }

    func acknowledge(_ number: UInt64, multiple: Bool, channel: UInt16) throws(AMQPError) {
        try check(amqp_basic_ack(state, channel, number, multiple ? 1 : 0), "Acknowledging")
    }

    func reject(_ number: UInt64, requeue: Bool, channel: UInt16) throws(AMQPError) {
        try check(amqp_basic_reject(state, channel, number, requeue ? 1 : 0), "Rejecting")
    }
}
