/// An acknowledgement of a delivery, after which the broker removes the message from its queue.
public struct AMQPAcknowledgement: Sendable, Hashable {
    public let tag: AMQPDeliveryTag
    /// Whether to also acknowledge all earlier unacknowledged deliveries of the same queue and connection.
    public let multiple: Bool

    public init(_ tag: AMQPDeliveryTag, multiple: Bool = false) {
        self.tag = tag
        self.multiple = multiple
    }
}
