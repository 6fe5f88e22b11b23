/// A message that the broker delivered. It is a class, so that passing it through many functions is cheap.
package final class AMQPDelivery: Sendable {
    package let tag: AMQPDeliveryTag
    /// Whether the broker may have delivered the message before, to this consumer or another.
    package let isRedelivered: Bool
    package let exchange: String
    package let routingKey: String
    package let properties: AMQPProperties
    package let body: [UInt8]
    /// A description of the properties that could not be read, for humans, or `nil` if all were readable.
    /// ``properties`` contains the readable ones.
    package let problem: String?

    package init(
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
