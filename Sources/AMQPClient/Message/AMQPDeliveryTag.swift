/// Names one delivery for its acknowledgement.
///
/// It holds for the connection it came over. An acknowledgement that arrives after that connection was lost is
/// dropped, because the broker has put the message back into its queue and delivers it again.
public struct AMQPDeliveryTag: Sendable, Hashable {
    /// Counts the connections of one consumer, from 1.
    public let epoch: UInt32
    /// Which of the consumer's queues it came from.
    public let queueIndex: UInt16
    /// The broker's delivery tag: counts the deliveries of one channel, from 1, or from where no channel before it has come to.
    public let number: UInt64

    public init(epoch: UInt32, queueIndex: UInt16, number: UInt64) {
        self.epoch = epoch
        self.queueIndex = queueIndex
        self.number = number
    }
}
