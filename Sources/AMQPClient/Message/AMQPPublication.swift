/// A message to publish.
public struct AMQPPublication: Sendable {
    /// Chosen by the caller; comes back in the event that says what became of it. The publisher does not look at it.
    public let id: UInt64
    /// Empty names the default exchange, which routes to the queue named like the routing key.
    public let exchange: String
    public let routingKey: String
    /// Whether the broker must return the message when no queue takes it.
    public let isMandatory: Bool
    /// A publication without a delivery mode is sent as persistent.
    public private(set) var properties: AMQPProperties
    public let body: [UInt8]
    /// A header that is set to true when the message is published again because the connection or the channel was lost
    /// before the broker's answer. The broker may then have the message twice.
    public let repeatHeader: String?

    public init(
        id: UInt64, exchange: String, routingKey: String, isMandatory: Bool = false,
        properties: AMQPProperties = AMQPProperties(), body: [UInt8], repeatHeader: String? = nil
    ) {
        self.id = id
        self.exchange = exchange
        self.routingKey = routingKey
        self.isMandatory = isMandatory
        self.properties = properties
        self.body = body
        self.repeatHeader = repeatHeader
    }

    /// As it is published again.
    package var repeated: AMQPPublication {
        guard let repeatHeader else { return self }
        var headers = properties.headers
        headers[repeatHeader] = true
        return replacingHeaders(by: headers)
    }
}

extension AMQPPublication {
    /// The same with other headers.
    package func replacingHeaders(by headers: AMQPFieldTable) -> AMQPPublication {
        var copy = self
        copy.properties.headers = headers
        return copy
    }
}
