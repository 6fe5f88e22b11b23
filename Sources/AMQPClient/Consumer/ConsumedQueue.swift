/// The state of a consumed queue, across the connections of its consumer. It decides which consumers to add or cancel.
/// A value type without clock or I/O.
package struct ConsumedQueue: Sendable {
    package let queue: AMQPConsumedQueue
    /// The prefetch that the caller requested last. It applies to the current connection and to later ones.
    package var wish: UInt16
    package private(set) var realName: String
    /// The state of the queue's prefetch on the current connection, or `nil` if the queue is not consumed.
    private var prefetch: ConsumerPrefetch?
    /// Whether the broker reported the queue as missing on the current connection.
    private var isMissing = false
    /// The number of consumer tags that were used on the current connection.
    private var tags = 0

    package init(_ queue: AMQPConsumedQueue) {
        self.queue = queue
        (wish, realName) = (queue.prefetch, queue.name)
    }

    package var consumers: [ConsumerPrefetch.Consumer] { prefetch?.consumers ?? [] }

    package mutating func connected(_ realNames: [String: String]) {
        realName = realNames[queue.name] ?? queue.name
        (prefetch, isMissing, tags) = (nil, false, 0)
    }

    /// Begins to consume the queue. Returns the consumer to add on a new channel, or `nil` if the queue is already
    /// consumed or missing.
    package mutating func begin() -> ConsumerPrefetch.Consumer? {
        guard prefetch == nil, !isMissing else { return nil }
        let first = ConsumerPrefetch(queue.prefetch, after: tags)
        prefetch = first
        return first.consumers.first
    }

    package mutating func changes() -> [ConsumerPrefetch.Change] { prefetch?.change(to: wish) ?? [] }

    /// Records that an optional queue does not exist. The broker has closed the queue's channel.
    package mutating func isGone() {
        tags = prefetch?.made ?? tags
        (prefetch, isMissing) = (nil, true)
    }

    /// Records that a missing queue may exist again.
    package mutating func mayBeBack() { isMissing = false }
}
