/// The prefetch of a queue, which may change while the queue is consumed. A value type without clock or I/O.
///
/// A prefetch in RabbitMQ belongs to one consumer and is fixed when the consumer begins (rabbitmq.com, "Consumer
/// Prefetch"). Therefore several consumers on one channel consume the queue, and the queue's prefetch is the sum of
/// their prefetches. Adding a consumer raises the sum, and cancelling the newest consumers lowers it. A priority also
/// belongs to one consumer (rabbitmq.com, "Consumer Priorities"), so a new priority needs a new consumer.
/// Delivery tags are counted for each channel, so it does not matter which consumer received a delivery.
package struct ConsumerPrefetch: Sendable {
    package struct Consumer: Sendable, Hashable {
        package let tag: String
        package let prefetch: UInt16
        package let priority: Int32

        package init(tag: String, prefetch: UInt16, priority: Int32 = 0) {
            (self.tag, self.prefetch, self.priority) = (tag, prefetch, priority)
        }
    }

    package enum Change: Sendable, Hashable {
        case consume(Consumer)
        case cancel(Consumer)
    }

    /// The consumers, oldest first.
    package private(set) var consumers: [Consumer]
    /// The number of consumers that were created so far, which is used to make their tags. The tag of a cancelled
    /// consumer is not reused, because the broker may not have finished cancelling it.
    private var made = 1

    /// Creates the state of a queue with one consumer.
    ///
    /// - Parameters:
    ///   - prefetch: the limit of unacknowledged deliveries, or 0 for no limit.
    ///   - priority: the priority of the consumer. The broker prefers consumers with a higher priority.
    package init(_ prefetch: UInt16, priority: Int32 = 0) {
        consumers = [Consumer(tag: "consumer-\(made)", prefetch: prefetch, priority: priority)]
    }

    package var total: Int { consumers.reduce(0) { $0 + Int($1.prefetch) } }

    /// Returns the changes that set the queue's prefetch and priority, in the order in which they must be made. A new
    /// consumer may receive its full prefetch while deliveries to a cancelled consumer are still unacknowledged.
    package mutating func change(to prefetch: UInt16, priority: Int32 = 0) -> [Change] {
        var changes: [Change] = []
        let isOther = consumers.contains { $0.priority != priority }
        while isOther || total > prefetch, !consumers.isEmpty { changes.append(.cancel(consumers.removeLast())) }
        if total < prefetch {
            made += 1
            consumers.append(
                Consumer(
                    tag: "consumer-\(made)", prefetch: UInt16(clamping: Int(prefetch) - total), priority: priority))
            changes.append(.consume(consumers[consumers.count - 1]))
        }
        return changes
    }
}
