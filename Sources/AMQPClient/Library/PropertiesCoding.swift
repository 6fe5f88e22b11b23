internal import CRabbitMQ

extension AMQPProperties {
    /// Looks only at the fields the sender set.
    init(_ source: amqp_basic_properties_t) {
        self.init()
        func isSet(_ flag: Int32) -> Bool { source._flags & UInt32(flag) != 0 }
        if isSet(AMQP_BASIC_CONTENT_TYPE_FLAG) { contentType = source.content_type.shortString }
        if isSet(AMQP_BASIC_CONTENT_ENCODING_FLAG) { contentEncoding = source.content_encoding.shortString }
        if isSet(AMQP_BASIC_HEADERS_FLAG) { headers = AMQPFieldTable(source.headers) }
        if isSet(AMQP_BASIC_DELIVERY_MODE_FLAG) { deliveryMode = DeliveryMode(rawValue: source.delivery_mode) }
        if isSet(AMQP_BASIC_PRIORITY_FLAG) { priority = source.priority }
        if isSet(AMQP_BASIC_CORRELATION_ID_FLAG) { correlationID = source.correlation_id.shortString }
        if isSet(AMQP_BASIC_REPLY_TO_FLAG) { replyTo = source.reply_to.shortString }
        if isSet(AMQP_BASIC_EXPIRATION_FLAG) { expiration = source.expiration.shortString }
        if isSet(AMQP_BASIC_MESSAGE_ID_FLAG) { messageID = source.message_id.shortString }
        if isSet(AMQP_BASIC_TIMESTAMP_FLAG) { timestamp = source.timestamp }
        if isSet(AMQP_BASIC_TYPE_FLAG) { type = source.type.shortString }
        if isSet(AMQP_BASIC_USER_ID_FLAG) { userID = source.user_id.shortString }
        if isSet(AMQP_BASIC_APP_ID_FLAG) { appID = source.app_id.shortString }
    }

    /// The library's form, for one call: texts and table live in `pool`.
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
