internal import CRabbitMQ

extension BrokerLink {
    /// Opens `channel` and consumes `queue` over it.
    func consume(_ queue: AMQPConsumedQueue, realName: String, channel: UInt16) throws(AMQPError) {
        try openChannel(channel)
        amqp_basic_qos(state, channel, 0, queue.prefetch, 0)
        try amqp_get_rpc_reply(state).check("Setting the prefetch of queue \"\(realName)\"")
        pool.reset()
        amqp_basic_consume(
            state, channel, pool.bytes(realName), pool.bytes(consumerTag(channel)), 0, 0, queue.isExclusive ? 1 : 0,
            pool.table(queue.arguments))
        try amqp_get_rpc_reply(state).check("Consuming queue \"\(realName)\"")
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
