package import PushModel

/// A queue that workers consume jobs or dropped messages from.
package enum JobQueue: Sendable, Hashable {
    /// The queue of a lane, in which publishers' jobs arrive.
    case lane(Lane)
    /// The queue of a lane for jobs from workers and delay queues: retries, scheduled jobs and chunks. Operators may
    /// limit the length of the queue ``lane(_:)``. They must not limit this queue.
    case returned(Lane)
    /// A queue of a lane, with its number. Jobs wait there while their app has more work than it may send, so that the
    /// jobs of other apps do not wait behind them. A worker moves jobs only to a waiting queue in which it knows no
    /// jobs of other apps.
    case waiting(Lane, Int)
    /// The queue of suspects: jobs that were delivered several times without being settled. They are processed one at a
    /// time, because such a job may be crashing the workers.
    case suspects
    /// The queue of messages that the broker dropped from other queues. Workers report and dead-letter them.
    case dropped

    /// The number of waiting queues of each lane.
    package static let waitingQueues = 8

    /// All queues in order of priority, which is also the order of their indices. The waiting queues of a lane come
    /// before the other queues of the lane, because their jobs have waited longer. This does not delay other apps,
    /// because each app has its own share of the capacity.
    package static let all: [JobQueue] =
        Lane.allCases.flatMap { lane in waiting(in: lane) + [.returned(lane), .lane(lane)] } + [.suspects, .dropped]

    private static func waiting(in lane: Lane) -> [JobQueue] { (0..<waitingQueues).map { .waiting(lane, $0) } }

    /// The groups of queues that share a connection, and therefore a limit on bytes. Because of the separate limits,
    /// urgent jobs do not wait behind large jobs in other lanes, and no arriving job waits behind the jobs of an app
    /// that exceeds its share.
    package static let connections: [[JobQueue]] = [
        [.returned(.urgent), .lane(.urgent)],
        [.returned(.normal), .lane(.normal), .returned(.bulk), .lane(.bulk)],
        waiting(in: .urgent), waiting(in: .normal) + waiting(in: .bulk) + [.suspects, .dropped],
    ]

    /// All waiting queues.
    package static let allWaiting = Lane.allCases.flatMap(waiting)

    /// The index of the queue in ``all``. Delivery tags contain this index.
    package var index: Int {
        let perLane = Self.waitingQueues + 2
        return switch self {
        case .waiting(let lane, let number): lane.place * perLane + number
        case .returned(let lane): lane.place * perLane + Self.waitingQueues
        case .lane(let lane): lane.place * perLane + Self.waitingQueues + 1
        case .suspects: Lane.allCases.count * perLane
        case .dropped: Lane.allCases.count * perLane + 1
        }
    }

    /// The ``index`` of the queue, as the integer type that delivery tags use.
    package var tagIndex: UInt16 { UInt16(index) }

    package init?(tagIndex: UInt16) {
        guard Int(tagIndex) < Self.all.count else { return nil }
        self = Self.all[Int(tagIndex)]
    }

    package var isWaiting: Bool { if case .waiting = self { true } else { false } }

    /// Whether jobs of the queue may be delayed because of a rate limit.
    package var isPaceable: Bool { lane != nil }

    package var isUrgent: Bool { lane == .urgent }

    /// The queue's lane, or `nil` for suspects and dropped messages.
    package var lane: Lane? {
        switch self {
        case .lane(let lane), .returned(let lane), .waiting(let lane, _): lane
        case .suspects, .dropped: nil
        }
    }

    // MARK: Kinds

    /// The kinds of queues, each represented by one queue, in order of priority. The waiting queues of a lane are of
    /// one kind, because an app's jobs in them are limited together.
    package static let kinds: [JobQueue] =
        Lane.allCases.flatMap { [.waiting($0, 0), .returned($0), .lane($0)] } + [.suspects, .dropped]

    /// The index of the queue's kind in ``kinds``.
    package var kind: Int {
        switch self {
        case .waiting(let lane, _): 3 * lane.place
        case .returned(let lane): 3 * lane.place + 1
        case .lane(let lane): 3 * lane.place + 2
        case .suspects: 3 * Lane.allCases.count
        case .dropped: 3 * Lane.allCases.count + 1
        }
    }
}

extension Lane {
    /// The index of the lane in ``allCases``.
    package var place: Int {
        switch self {
        case .urgent: 0
        case .normal: 1
        case .bulk: 2
        }
    }
}
