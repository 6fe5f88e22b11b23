/// A queue to consume, and the limit of its unacknowledged deliveries.
public struct AMQPConsumedQueue: Sendable, Hashable {
    /// The name of the queue. It may be part of the topology or any other queue that exists.
    public let name: String
    /// The initial limit of unacknowledged deliveries, from 1 to 65535, or 0 for no limit.
    public let prefetch: UInt16
    /// Whether other consumers are excluded while this consumer consumes the queue.
    public let isExclusive: Bool
    /// The arguments of the consumer, such as `x-priority`.
    public let arguments: AMQPFieldTable
    /// The number of the queue in delivery tags, or `nil` for its position in the list. An owner of several consumers
    /// uses it to keep tags distinct.
    public let tagIndex: UInt16?
    /// Whether the queue may be missing. A missing queue is left out until it is requested again, or until the next
    /// connection. If the queue is deleted while it is consumed, the consumer connects again.
    public let isOptional: Bool

    public init(
        name: String, prefetch: UInt16, isExclusive: Bool = false, arguments: AMQPFieldTable = [:],
        tagIndex: UInt16? = nil, isOptional: Bool = false
    ) {
        self.isOptional = isOptional
        self.tagIndex = tagIndex
        self.name = name
        self.prefetch = prefetch
        self.isExclusive = isExclusive
        self.arguments = arguments
    }
}
