/// The state of a consumed queue, across the connections of its consumer. It decides which consumers to add or cancel.
/// A value type without clock or I/O.
package struct ConsumedQueue: Sendable {
    package let queue: AMQPConsumedQueue
    /// The prefetch that the caller requested last. It applies to the current connection and to later ones.
    package var wish: UInt16
    /// The priority that the caller requested last. It applies to the current connection and to later ones.
    package var priority: Int32 = 0
    package private(set) var realName: String
    /// The state of the queue's prefetch on the current connection, or `nil` before the first connection.
    private var prefetch: ConsumerPrefetch?

    package init(_ queue: AMQPConsumedQueue) {
        self.queue = queue
        (wish, realName) = (queue.prefetch, queue.name)
    }

    package var consumers: [ConsumerPrefetch.Consumer] { prefetch?.consumers ?? [] }

    /// Begins to consume the queue over a new connection. Returns the consumer to add.
    package mutating func connected(_ realNames: [String: String]) -> ConsumerPrefetch.Consumer {
        realName = realNames[queue.name] ?? queue.name
        let first = ConsumerPrefetch(queue.prefetch, priority: priority)
        prefetch = first
        return first.consumers[0]
    }

    package mutating func changes() -> [ConsumerPrefetch.Change] {
        prefetch?.change(to: wish, priority: priority) ?? []
    }
}
