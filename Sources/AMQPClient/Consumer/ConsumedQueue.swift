/// A queue that a consumer consumes, over all its connections. A value: it says what to do, and is told what came of it.
struct ConsumedQueue {
    let queue: AMQPConsumedQueue
    /// What was asked for last, over whatever connection. The caller need not know which one there is.
    var wish: UInt16
    private(set) var realName: String
    /// nil: nothing is consumed over this connection.
    private var prefetch: ConsumerPrefetch?
    /// It was there once, or should have been.
    private var isMissing = false

    init(_ queue: AMQPConsumedQueue) {
        self.queue = queue
        (wish, realName) = (queue.prefetch, queue.name)
    }

    var consumers: [ConsumerPrefetch.Consumer] { prefetch?.consumers ?? [] }

    mutating func connected(_ realNames: [String: String]) {
        realName = realNames[queue.name] ?? queue.name
        (prefetch, isMissing) = (nil, false)
    }

    /// - Returns: what to open a channel for; nil: there is one, or nothing to be consumed.
    mutating func begin() -> ConsumerPrefetch.Consumer? {
        guard prefetch == nil, !isMissing else { return nil }
        let first = ConsumerPrefetch(queue.prefetch)
        prefetch = first
        return first.consumers.first
    }

    mutating func changes() -> [ConsumerPrefetch.Change] { prefetch?.change(to: wish) ?? [] }

    /// An optional one is not in the broker, or not any more.
    mutating func isGone() { (prefetch, isMissing) = (nil, true) }
}
