/// The state of a queue that a consumer consumes, across its connections. A value type that decides which consumers to
/// add or cancel.
package struct ConsumedQueue: Sendable {
    package let queue: AMQPConsumedQueue
    /// The requested prefetch. The last request applies to every later connection, so callers need not know the current
    /// one.
    package var wish: UInt16
    package private(set) var realName: String
    /// The queue's prefetch over this connection, or `nil` if the queue is not consumed.
    private var prefetch: ConsumerPrefetch?
    /// Whether the queue was found missing over this connection.
    private var isMissing = false
    /// The number of consumer tags that were used over this connection.
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

    /// Returns the consumer to add over a new channel, or `nil` if the queue is already consumed or missing.
    package mutating func begin() -> ConsumerPrefetch.Consumer? {
        guard prefetch == nil, !isMissing else { return nil }
        let first = ConsumerPrefetch(queue.prefetch, after: tags)
        prefetch = first
        return first.consumers.first
    }

    package mutating func changes() -> [ConsumerPrefetch.Change] { prefetch?.change(to: wish) ?? [] }

    /// Records that an optional queue does not exist. The broker has closed its channel.
    package mutating func isGone() {
        tags = prefetch?.made ?? tags
        (prefetch, isMissing) = (nil, true)
    }

    /// Records that a missing queue may exist again.
    package mutating func mayBeBack() { isMissing = false }
}
