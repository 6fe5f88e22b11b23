/// One queue to consume, and how much of it may be open at a time.
public struct AMQPConsumedQueue: Sendable, Hashable {
    /// As in the topology, or any queue that exists.
    public let name: String
    /// How many deliveries may be unacknowledged, 1 to 65535, unless it is changed; 0 is no limit.
    public let prefetch: UInt16
    /// Nobody else may consume it while this consumer does.
    public let isExclusive: Bool
    /// Such as `x-priority`.
    public let arguments: AMQPFieldTable
    /// What tags name it by, for who has several consumers; nil: its place in the list.
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
