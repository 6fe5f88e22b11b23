package import AMQPClient
package import PushModel

/// A delivery and the lane it came through.
package struct InboundJob: Sendable {
    package let delivery: AMQPDelivery
    package let lane: Lane

    package init(delivery: AMQPDelivery, lane: Lane) {
        self.delivery = delivery
        self.lane = lane
    }
}

/// Deliveries that have not been decoded yet. Bounded by prefetch, so it needs no bound of its own.
package struct LaneQueues {
    /// Two stacks: what leaves is let go at once, even while the queue never runs empty.
    private struct Queue {
        private var arriving: [AMQPDelivery] = []
        /// The oldest last.
        private var leaving: [AMQPDelivery] = []

        var count: Int { arriving.count + leaving.count }

        mutating func append(_ delivery: AMQPDelivery) { arriving.append(delivery) }

        mutating func popFirst() -> AMQPDelivery? {
            if leaving.isEmpty {
                leaving = arriving.reversed()
                arriving.removeAll(keepingCapacity: true)
            }
            return leaving.popLast()
        }
    }

    private var queues: [Queue] = Array(repeating: Queue(), count: Lane.allCases.count)

    package init() {}

    package var count: Int { queues.reduce(0) { $0 + $1.count } }

    package mutating func append(_ delivery: AMQPDelivery) {
        let index = Int(delivery.tag.queueIndex)
        guard queues.indices.contains(index) else { return }
        queues[index].append(delivery)
    }

    /// The oldest of the most urgent lane that has one.
    package mutating func next() -> InboundJob? {
        for (index, lane) in Lane.allCases.enumerated() {
            if let delivery = queues[index].popFirst() { return InboundJob(delivery: delivery, lane: lane) }
        }
        return nil
    }

    /// Takes out everything that waits.
    package mutating func removeAll() -> [InboundJob] {
        var all: [InboundJob] = []
        while let job = next() { all.append(job) }
        return all
    }
}
