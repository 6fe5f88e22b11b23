package import PushModel

/// A queue that workers consume jobs or dropped messages from.
package enum JobQueue: Sendable, Hashable {
    /// The queue of a lane, in which publishers' jobs arrive.
    case lane(Lane)
    /// The overflow queue of a lane. It receives jobs of apps that exceed their share, so that the jobs of other apps
    /// do not wait behind them.
    case overflow(Lane)
    /// The queue of suspects: jobs that were delivered several times without being settled. They are processed one at a
    /// time, because such a job may be crashing the workers.
    case suspects
    /// The queue of messages that the broker dropped from other queues. Workers report and dead-letter them.
    case dropped

    /// All queues in order of priority, which is also the order of their indices. The overflow queue of a lane comes
    /// before the lane itself, because its jobs have waited longer. This does not delay other apps, because each app
    /// has its own share of the capacity.
    package static let all: [JobQueue] = Lane.allCases.flatMap { [.overflow($0), .lane($0)] } + [.suspects, .dropped]

    /// The groups of queues that share a connection, and therefore a limit on bytes. Because of the separate limits,
    /// urgent jobs do not wait behind large jobs in other lanes, and no job waits behind the jobs of an app that
    /// exceeds its share.
    package static let connections: [[JobQueue]] = [
        [.lane(.urgent)], [.lane(.normal), .lane(.bulk)], Lane.allCases.map { .overflow($0) } + [.suspects, .dropped],
    ]

    package static let overflows = all.filter(\.isOverflow)

    /// The index of the queue in ``all``. Delivery tags contain this index.
    package var index: Int {
        switch self {
        case .overflow(let lane): 2 * lane.place
        case .lane(let lane): 2 * lane.place + 1
        case .suspects: 2 * Lane.allCases.count
        case .dropped: 2 * Lane.allCases.count + 1
        }
    }

    /// The ``index`` of the queue, as the integer type that delivery tags use.
    package var tagIndex: UInt16 { UInt16(index) }

    package init?(tagIndex: UInt16) {
        guard Int(tagIndex) < Self.all.count else { return nil }
        self = Self.all[Int(tagIndex)]
    }

    package var isOverflow: Bool { if case .overflow = self { true } else { false } }

    /// Whether jobs of the queue may be delayed because of a rate limit.
    package var isPaceable: Bool {
        switch self {
        case .lane, .overflow: true
        case .suspects, .dropped: false
        }
    }

    package var isUrgent: Bool { self == .lane(.urgent) || self == .overflow(.urgent) }
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
