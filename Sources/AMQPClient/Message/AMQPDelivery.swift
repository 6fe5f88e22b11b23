/// One message as the broker handed it out. A class, since it goes through many hands and has a dozen parts.
public final class AMQPDelivery: Sendable {
    public let tag: AMQPDeliveryTag
    /// The broker may have delivered it before, to this consumer or another.
    public let isRedelivered: Bool
    public let exchange: String
    public let routingKey: String
    public let properties: AMQPProperties
    public let body: [UInt8]
    /// What of its properties could not be read, for people; they have what was readable. nil: nothing.
    public let problem: String?

    public init(
        tag: AMQPDeliveryTag, isRedelivered: Bool, exchange: String, routingKey: String, properties: AMQPProperties,
        body: [UInt8], problem: String? = nil
    ) {
        self.problem = problem
        self.tag = tag
        self.isRedelivered = isRedelivered
        self.exchange = exchange
        self.routingKey = routingKey
        self.properties = properties
        self.body = body
    }
}
