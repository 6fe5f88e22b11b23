/// The properties of a message (AMQP 0-9-1, class `basic`). Each text has at most 255 bytes of UTF-8. A property is
/// `nil` if the message does not have it.
package struct AMQPProperties: Sendable, Hashable {
    /// Whether a message in a durable queue survives a restart of the broker.
    package enum DeliveryMode: UInt8, Sendable, Hashable {
        case transient = 1
        case persistent = 2
    }

    package var contentType: String?
    package var contentEncoding: String?
    /// The headers. If they are empty, the message is sent without a header table.
    package var headers: AMQPFieldTable
    package var deliveryMode: DeliveryMode?
    /// The priority, from 0 to 255. A queue uses the levels up to its `x-max-priority`.
    package var priority: UInt8?
    package var correlationID: String?
    package var replyTo: String?
    /// The time to live in milliseconds, in decimal digits.
    package var expiration: String?
    package var messageID: String?
    /// The time of the message, in seconds since 1970.
    package var timestamp: UInt64?
    package var type: String?
    /// The user who publishes the message. The broker refuses a message if this is not the connection's user
    /// (rabbitmq.com, "Validated User-ID").
    package var userID: String?
    package var appID: String?

    package init(
        contentType: String? = nil, contentEncoding: String? = nil, headers: AMQPFieldTable = [:],
        deliveryMode: DeliveryMode? = nil, priority: UInt8? = nil, correlationID: String? = nil,
        replyTo: String? = nil, expiration: String? = nil, messageID: String? = nil, timestamp: UInt64? = nil,
        type: String? = nil, userID: String? = nil, appID: String? = nil
    ) {
        self.contentType = contentType
        self.contentEncoding = contentEncoding
        self.headers = headers
        self.deliveryMode = deliveryMode
        self.priority = priority
        self.correlationID = correlationID
        self.replyTo = replyTo
        self.expiration = expiration
        self.messageID = messageID
        self.timestamp = timestamp
        self.type = type
        self.userID = userID
        self.appID = appID
    }
}

extension AMQPProperties {
    func without(_ header: String) -> AMQPProperties {
        var properties = self
        properties.headers[header] = nil
        return properties
    }
}
