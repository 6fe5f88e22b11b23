/// An identifier of a delivery, used to acknowledge it.
///
/// A tag is valid for the connection of its delivery. An acknowledgement that arrives after the loss of that connection
/// is ignored, because the broker requeues and redelivers the message.
package struct AMQPDeliveryTag: Sendable, Hashable {
    /// The number of the consumer's connection, from 1.
    package let epoch: UInt32
    /// The number of the queue that delivered the message, see ``AMQPConsumedQueue/tagIndex``.
    package let queueIndex: UInt16
    /// The number of the delivery within its queue, from 1. It is the broker's delivery tag, which counts the
    /// deliveries of a channel.
    package let number: UInt64

    package init(epoch: UInt32, queueIndex: UInt16, number: UInt64) {
        self.epoch = epoch
        self.queueIndex = queueIndex
        self.number = number
    }
}
