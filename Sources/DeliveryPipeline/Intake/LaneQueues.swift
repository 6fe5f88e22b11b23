import AMQPClient
import PushModel

/// A delivery and the lane it came through.
struct InboundJob: Sendable {
    let delivery: AMQPDelivery
    let lane: Lane
}

/// Deliveries that have not been decoded yet. Bounded by prefetch, so it needs no bound of its own.
struct LaneQueues {
    private struct Queue {
        var deliveries: [AMQPDelivery] = []
        var next = 0
    }

    private var queues: [Queue] = Array(repeating: Queue(), count: Lane.allCases.count)

    var count: Int { queues.reduce(0) { $0 + $1.deliveries.count - $1.next } }

    mutating func append(_ delivery: AMQPDelivery) {
        let index = Int(delivery.tag.queueIndex)
        guard queues.indices.contains(index) else { return }
        queues[index].deliveries.append(delivery)
    }

    /// The oldest of the most urgent lane that has one.
    mutating func next() -> InboundJob? {
        for (index, lane) in Lane.allCases.enumerated() where queues[index].next < queues[index].deliveries.count {
            let delivery = queues[index].deliveries[queues[index].next]
            queues[index].next += 1
            if queues[index].next == queues[index].deliveries.count {
                queues[index].deliveries.removeAll(keepingCapacity: true)
                queues[index].next = 0
            }
            return InboundJob(delivery: delivery, lane: lane)
        }
        return nil
    }

    /// Takes out everything that waits.
    mutating func removeAll() -> [InboundJob] {
        var all: [InboundJob] = []
        while let job = next() { all.append(job) }
        return all
    }
}
