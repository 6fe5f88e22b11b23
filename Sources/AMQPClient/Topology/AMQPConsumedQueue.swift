/// A queue to consume, and the limit of its unacknowledged deliveries.
package struct AMQPConsumedQueue: Sendable, Hashable {
    /// The name of the queue. The queue may be part of the topology, or any other queue in the broker.
    package let name: String
    /// The initial limit of unacknowledged deliveries, from 1 to 65535, or 0 for no limit.
    package let prefetch: UInt16
    /// Whether other consumers are excluded while this consumer consumes the queue.
    package let isExclusive: Bool
    /// The arguments of the consumer, such as `x-consumer-timeout`, but not its priority
    /// (``AMQPConsumer/setPriority(_:ofQueues:)``).
    package let arguments: AMQPFieldTable
    /// The number that identifies the queue in delivery tags, or `nil` to use its position in the list. An owner of
    /// several consumers sets it, so that the tags of all its consumers are distinct.
    package let tagIndex: UInt16?

    package init(
        name: String, prefetch: UInt16, isExclusive: Bool = false, arguments: AMQPFieldTable = [:],
        tagIndex: UInt16? = nil
    ) {
        self.tagIndex = tagIndex
        self.name = name
        self.prefetch = prefetch
        self.isExclusive = isExclusive
        self.arguments = arguments
    }
}
