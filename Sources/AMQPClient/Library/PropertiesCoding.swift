internal import CRabbitMQ

extension AMQPProperties {
    /// Returns the properties in the library's format. The result is valid for one library call. Its strings and tables
    /// are stored in `pool`.
    func encoded(in pool: FieldPool) -> amqp_basic_properties_t {
        var target = amqp_basic_properties_t()
        func set(_ flag: Int32) { target._flags |= UInt32(flag) }
        func put(_ text: String?, _ field: inout amqp_bytes_t) -> Bool {
            guard let text else { return false }
            field = pool.bytes(text)
            return true
        }
        if put(contentType, &target.content_type) { set(AMQP_BASIC_CONTENT_TYPE_FLAG) }
        if put(contentEncoding, &target.content_encoding) { set(AMQP_BASIC_CONTENT_ENCODING_FLAG) }
        if !headers.isEmpty {
            target.headers = pool.table(headers)
            set(AMQP_BASIC_HEADERS_FLAG)
        }
        target.delivery_mode = (deliveryMode ?? .persistent).rawValue
        set(AMQP_BASIC_DELIVERY_MODE_FLAG)
        if let priority {
            target.priority = priority
            set(AMQP_BASIC_PRIORITY_FLAG)
        }
        if put(correlationID, &target.correlation_id) { set(AMQP_BASIC_CORRELATION_ID_FLAG) }
        if put(replyTo, &target.reply_to) { set(AMQP_BASIC_REPLY_TO_FLAG) }
        if put(expiration, &target.expiration) { set(AMQP_BASIC_EXPIRATION_FLAG) }
        if put(messageID, &target.message_id) { set(AMQP_BASIC_MESSAGE_ID_FLAG) }
        if let timestamp {
            target.timestamp = timestamp
            set(AMQP_BASIC_TIMESTAMP_FLAG)
        }
        if put(type, &target.type) { set(AMQP_BASIC_TYPE_FLAG) }
        if put(userID, &target.user_id) { set(AMQP_BASIC_USER_ID_FLAG) }
        if put(appID, &target.app_id) { set(AMQP_BASIC_APP_ID_FLAG) }
        return target
    }
}
