internal import CRabbitMQ

extension BrokerLink {
    /// Opens `channel` and consumes `queue` over it.
    func consume(_ queue: AMQPConsumedQueue, realName: String, channel: UInt16) throws(AMQPError) {
        try openChannel(channel)
        let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: queue.prefetch, global: 0)
        try call(CRABBITMQ_BASIC_QOS, qos, channel: channel, "Setting the prefetch of queue \"\(realName)\"")
        pool.reset()
        var consume = amqp_basic_consume_t()
        consume.queue = pool.bytes(realName)
        consume.consumer_tag = pool.bytes(consumerTag(channel))
        consume.exclusive = queue.isExclusive ? 1 : 0
        consume.arguments = pool.table(queue.arguments)
        try call(CRABBITMQ_BASIC_CONSUME, consume, channel: channel, "Consuming queue \"\(realName)\"")
    }

    /// Asks the broker to deliver no more; ``Inbound/cancelled(channel:)`` comes after the last delivery.
    func requestCancel(channel: UInt16) throws(AMQPError) {
        pool.reset()
        var cancel = amqp_basic_cancel_t(consumer_tag: pool.bytes(consumerTag(channel)), nowait: 0)
        try check(amqp_send_method(state, channel, CRABBITMQ_BASIC_CANCEL, &cancel), "Cancelling a consumer")
    }

    func acknowledge(_ number: UInt64, multiple: Bool, channel: UInt16) throws(AMQPError) {
        try check(amqp_basic_ack(state, channel, number, multiple ? 1 : 0), "Acknowledging")
    }

    func reject(_ number: UInt64, requeue: Bool, channel: UInt16) throws(AMQPError) {
        try check(amqp_basic_reject(state, channel, number, requeue ? 1 : 0), "Rejecting")
    }

    /// Known to this connection only, so it need not be unique.
    private func consumerTag(_ channel: UInt16) -> String { "consumer-\(channel)" }
}
