/// How a queue's prefetch changes while it is consumed. A value.
///
/// RabbitMQ's prefetch is each consumer's own, and fixed when it begins (rabbitmq.com, "Consumer Prefetch"). So a queue
/// is consumed by several, on one channel, and its prefetch is the sum of theirs: another one adds to it, and the newest
/// are cancelled to lower it. Delivery tags count by channel, so nobody has to know whose a delivery was.
package struct ConsumerPrefetch: Sendable {
    package struct Consumer: Sendable, Hashable {
        package let tag: String
        package let prefetch: UInt16

        package init(tag: String, prefetch: UInt16) {
            (self.tag, self.prefetch) = (tag, prefetch)
        }
    }

    package enum Change: Sendable, Hashable {
        case consume(Consumer)
        case cancel(Consumer)
    }

    /// The oldest first.
    package private(set) var consumers: [Consumer]
    /// A cancelled one's tag is not used again: the broker may not be done with it.
    package private(set) var made: Int

    /// - Parameters:
    ///   - prefetch: 0 is no limit.
    ///   - used: how many tags were used before.
    package init(_ prefetch: UInt16, after used: Int = 0) {
        made = used + 1
        consumers = [Consumer(tag: "consumer-\(made)", prefetch: prefetch)]
    }

    package var total: Int { consumers.reduce(0) { $0 + Int($1.prefetch) } }

    /// What is to be done for it, in this order.
    package mutating func change(to prefetch: UInt16) -> [Change] {
        var changes: [Change] = []
        while total > prefetch, !consumers.isEmpty { changes.append(.cancel(consumers.removeLast())) }
        if total < prefetch {
            made += 1
            consumers.append(Consumer(tag: "consumer-\(made)", prefetch: UInt16(clamping: Int(prefetch) - total)))
            changes.append(.consume(consumers[consumers.count - 1]))
        }
        return changes
    }
}
