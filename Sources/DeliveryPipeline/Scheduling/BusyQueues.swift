import Contract
import PushModel

/// The queues with waiting jobs, in the order in which their jobs start. Within a lane, the waiting queues take turns
/// to be the first. A value type without clock or I/O.
struct BusyQueues {
    /// The orders of all queues, by the number of the waiting queue that is the first of its lane.
    private static let orders: [[JobQueue]] = (0..<JobQueue.waitingQueues).map { first in
        Lane.allCases.flatMap { lane in
            (0..<JobQueue.waitingQueues).map { .waiting(lane, (first + $0) % JobQueue.waitingQueues) }
                + [.returned(lane), .lane(lane)]
        } + [.suspects, .dropped]
    }

    private var queues = QueueSet()
    private var first = 0

    var isEmpty: Bool { queues.isEmpty }

    mutating func insert(_ queue: JobQueue) { queues.insert(queue) }

    mutating func remove(where isIdle: (JobQueue) -> Bool) {
        for queue in queues.queues where isIdle(queue) { queues.remove(queue) }
    }

    /// Returns the queues in the order of the next turn.
    mutating func next() -> [JobQueue] {
        let busy = queues.queues
        guard busy.count > 1 else { return busy }
        first = (first + 1) % JobQueue.waitingQueues
        return Self.orders[first].filter(queues.contains)
    }
}
