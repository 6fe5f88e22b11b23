/// A queue that a consumer consumes, over all its connections. A value: it says what to do, and is told what came of it.
package struct ConsumedQueue: Sendable {
    package struct Beginning: Sendable, Hashable {
        package let consumer: ConsumerPrefetch.Consumer
        package let opensChannel: Bool
    }

    package let queue: AMQPConsumedQueue
    /// What was asked for last, over whatever connection. The caller need not know which one there is.
    package var wish: UInt16
    package private(set) var realName: String
    /// nil: nothing is consumed over this connection.
    private var prefetch: ConsumerPrefetch?
    /// It was there once, or should have been.
    private var isMissing = false
    private var hasChannel = false
    /// Tags that were used over this connection.
    private var tags = 0

    package init(_ queue: AMQPConsumedQueue) {
        self.queue = queue
        (wish, realName) = (queue.prefetch, queue.name)
    }

    package var consumers: [ConsumerPrefetch.Consumer] { prefetch?.consumers ?? [] }

    package mutating func connected(_ realNames: [String: String]) {
        realName = realNames[queue.name] ?? queue.name
        (prefetch, isMissing, hasChannel, tags) = (nil, false, false, 0)
    }

    /// - Returns: nil: it is consumed, or can't be.
    package mutating func begin() -> Beginning? {
        guard prefetch == nil, !isMissing else { return nil }
        let first = ConsumerPrefetch(queue.prefetch, after: tags)
        prefetch = first
        defer { hasChannel = true }
        return first.consumers.first.map { Beginning(consumer: $0, opensChannel: !hasChannel) }
    }

    package mutating func changes() -> [ConsumerPrefetch.Change] { prefetch?.change(to: wish) ?? [] }

    /// An optional one is not in the broker, or not any more.
    ///
    /// - Parameter hasChannel: false: its channel was closed over that.
    package mutating func isGone(hasChannel: Bool) {
        tags = prefetch?.made ?? tags
        (prefetch, isMissing, self.hasChannel) = (nil, true, hasChannel)
    }

    /// It may be there again.
    package mutating func mayBeBack() { isMissing = false }
}
