/// A queue that a consumer consumes, over all its connections. A value: it says what to do, and is told what came of it.
package struct ConsumedQueue: Sendable {
    package let queue: AMQPConsumedQueue
    /// What was asked for last, over whatever connection. The caller need not know which one there is.
    package var wish: UInt16
    package private(set) var realName: String
    /// nil: nothing is consumed over this connection.
    private var prefetch: ConsumerPrefetch?
    /// It was there once, or should have been.
    private var isMissing = false
    /// Tags that were used over this connection.
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

    /// Returns the consumer to add over a new channel, or `nil` if the queue is consumed or missing.
    package mutating func begin() -> ConsumerPrefetch.Consumer? {
        guard prefetch == nil, !isMissing else { return nil }
        let first = ConsumerPrefetch(queue.prefetch, after: tags)
        prefetch = first
        return first.consumers.first
    }

    package mutating func changes() -> [ConsumerPrefetch.Change] { prefetch?.change(to: wish) ?? [] }

    /// Records that an optional queue does not exist, and that the broker has closed its channel.
    package mutating func isGone() {
        tags = prefetch?.made ?? tags
        (prefetch, isMissing) = (nil, true)
    }

    /// It may be there again.
    package mutating func mayBeBack() { isMissing = false }
}
