/// An acknowledgement of a delivery, after which the broker removes the message from its queue.
package struct AMQPAcknowledgement: Sendable, Hashable {
    package let tag: AMQPDeliveryTag
    /// Whether to also acknowledge all earlier unacknowledged deliveries of the same queue and connection.
    package let multiple: Bool

    package init(_ tag: AMQPDeliveryTag, multiple: Bool = false) {
        self.tag = tag
        self.multiple = multiple
    }
}
