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
