/// A message that the broker delivered. It is a class because it has a dozen fields and is passed through many
/// functions.
public final class AMQPDelivery: Sendable {
    public let tag: AMQPDeliveryTag
    /// Whether the broker may have delivered the message before, to this consumer or another.
    public let isRedelivered: Bool
    public let exchange: String
    public let routingKey: String
    public let properties: AMQPProperties
    public let body: [UInt8]
    /// A description of the properties that could not be read, for humans, or `nil` if all were readable.
    /// ``properties`` contains the readable ones.
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
