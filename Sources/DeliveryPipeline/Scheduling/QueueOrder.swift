import Contract
import PushModel

/// The order in which the jobs of queues start. Within a lane, the waiting queues take turns to be the first. A value type
/// without clock or I/O.
struct QueueOrder {
    /// The orders, by the number of the waiting queue that is the first of its lane.
    private static let orders: [[JobQueue]] = (0..<JobQueue.waitingQueues).map { first in
        Lane.allCases.flatMap { lane in
            (0..<JobQueue.waitingQueues).map { .waiting(lane, (first + $0) % JobQueue.waitingQueues) }
                + [.returned(lane), .lane(lane)]
        } + [.suspects, .dropped]
    }

    private var first = 0

    /// Returns all queues in the order of the next turn.
    mutating func next() -> [JobQueue] {
        first = (first + 1) % JobQueue.waitingQueues
        return Self.orders[first]
    }
}
