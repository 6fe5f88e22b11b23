internal import CRabbitMQ

extension BrokerLink {
    /// Opens `channel` with publisher confirms, on a new connection or after the broker closed the channel.
    func openConfirmingChannel(_ channel: UInt16) throws(AMQPError) {
        try openChannel(channel)
        try call(
            CRABBITMQ_CONFIRM_SELECT, amqp_confirm_select_t(), channel: channel, "enabling publisher confirms")
    }

    /// Answers the broker's `channel.close`. Afterwards the channel can be opened again.
    func confirmChannelClosed(_ channel: UInt16) throws(AMQPError) {
        var answer = amqp_channel_close_ok_t()
        try check(amqp_send_method(state, channel, CRABBITMQ_CHANNEL_CLOSE_OK, &answer), "closing a channel")
    }

    /// Answers the broker's `connection.close`. Failures are ignored, because the connection ends in any case.
    func confirmConnectionClosed() {
        var answer = amqp_connection_close_ok_t()
        _ = amqp_send_method(state, 0, CRABBITMQ_CONNECTION_CLOSE_OK, &answer)
    }

    func publish(_ publication: AMQPPublication, channel: UInt16) throws(AMQPError) {
        pool.reset()
        var properties = publication.properties.encoded(in: pool)
        let exchange = pool.bytes(publication.exchange)
        let routingKey = pool.bytes(publication.routingKey)
        let status = publication.body.withUnsafeBytes { body in
            amqp_basic_publish(
                state, channel, exchange, routingKey, publication.comesBack ? 1 : 0, 0, &properties,
                amqp_bytes_t(len: body.count, bytes: UnsafeMutableRawPointer(mutating: body.baseAddress)))
        }
        try check(status, "Publishing")
    }

    /// Returns the reason why AMQP can't carry this publication over this connection, or `nil` if it can. The library
    /// itself would truncate a long text, or fail in the middle of the message.
    func problem(with publication: AMQPPublication) -> String? {
        let properties = publication.properties
        if let name = Self.longText(in: publication) { return "\(name) is longer than 255 bytes" }
        // Only headers can exceed a frame. The other properties take less than 3,000 bytes, and no frame is smaller
        // than 4,096.
        if properties.headers.isEmpty { return nil }
        guard properties.headers.hasCarriableKeys else { return "a header name is longer than 255 bytes" }
        let limit = Int(amqp_get_frame_max(state)) - 3000
        return properties.headers.wireSize <= limit ? nil : "headers are larger than \(limit) bytes"
    }

    private static func longText(in publication: AMQPPublication) -> String? {
        func isLong(_ text: String?) -> Bool { (text?.utf8.count ?? 0) > 255 }
        let properties = publication.properties
        if isLong(publication.exchange) { return "exchange" }
        if isLong(publication.routingKey) { return "routing key" }
        if isLong(properties.contentType) { return "content type" }
        if isLong(properties.contentEncoding) { return "content encoding" }
        if isLong(properties.correlationID) { return "correlation id" }
        if isLong(properties.replyTo) { return "reply-to" }
        if isLong(properties.expiration) { return "expiration" }
        if isLong(properties.messageID) { return "message id" }
        if isLong(properties.type) { return "type" }
        if isLong(properties.userID) { return "user id" }
        return isLong(properties.appID) ? "app id" : nil
    }
}
