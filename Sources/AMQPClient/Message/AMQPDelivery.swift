/// Names one delivery for its acknowledgement.
///
/// It holds for the connection it came over. An acknowledgement that arrives after that connection was lost is
/// dropped, because the broker has put the message back into its queue and delivers it again.
public struct AMQPDeliveryTag: Sendable, Hashable {
    /// Counts the connections of one consumer, from 1.
    public let epoch: UInt32
    /// Which of the consumer's queues it came from.
    public let queueIndex: UInt16
    /// The broker's delivery tag: counts the deliveries of one channel, from 1.
    public let number: UInt64

    public init(epoch: UInt32, queueIndex: UInt16, number: UInt64) {
        self.epoch = epoch
        self.queueIndex = queueIndex
        self.number = number
    }
}

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

/// Tells the broker that it can forget a message.
public struct AMQPAcknowledgement: Sendable, Hashable {
    public let tag: AMQPDeliveryTag
    /// Also every earlier delivery of the same queue and connection that is still open.
    public let multiple: Bool

    public init(_ tag: AMQPDeliveryTag, multiple: Bool = false) {
        self.tag = tag
        self.multiple = multiple
    }
}
