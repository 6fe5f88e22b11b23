package import PushModel

/// A queue in the broker that jobs are taken from, in the order in which they go first.
package enum JobQueue: Sendable, Hashable {
    /// Where publishers' jobs come in.
    case lane(Lane)
    /// Jobs of an app that has more of them in its lane than it may hold, out of the others' way.
    case overflow(Lane)
    /// Jobs that have been delivered several times without being settled: one at a time, because one of them may
    /// be what ends the workers.
    case suspects
    /// What the broker has taken out of the others by itself: told, and put among the dead.
    case dropped

    /// As the consumer counts them. Jobs that have overflowed have waited longer; apps that have not overflowed have
    /// room of their own.
    package static let all: [JobQueue] = Lane.allCases.flatMap { [.overflow($0), .lane($0)] } + [.suspects, .dropped]

    /// What shares a connection, and so its bytes: urgent jobs do not wait behind large ones of other lanes, and
    /// nobody's behind those of an app that has more of them than it may hold.
    package static let connections: [[JobQueue]] = [
        [.lane(.urgent)], [.lane(.normal), .lane(.bulk)], Lane.allCases.map { .overflow($0) } + [.suspects, .dropped],
    ]

    static let overflows = all.filter(\.isOverflow)

    /// As tags name it: its place in ``all``.
    package var index: Int {
        switch self {
        case .overflow(let lane): 2 * lane.place
        case .lane(let lane): 2 * lane.place + 1
        case .suspects: 2 * Lane.allCases.count
        case .dropped: 2 * Lane.allCases.count + 1
        }
    }

    /// As tags name one of the queues that a lane is spread over, from 1; of the others there is only the first.
    package func tagIndex(shard: Int) -> UInt16 { UInt16(index + Self.all.count * (shard - 1)) }

    package init?(tagIndex: UInt16) {
        guard Int(tagIndex) < Self.all.count * PipelineNames.mostShards else { return nil }
        self = Self.all[Int(tagIndex) % Self.all.count]
    }

    var isOverflow: Bool { if case .overflow = self { true } else { false } }

    /// What waits in it may be set apart until its turn.
    var isPaceable: Bool {
        switch self {
        case .lane, .overflow: true
        case .suspects, .dropped: false
        }
    }

    var isLane: Bool { if case .lane = self { true } else { false } }

    var isUrgent: Bool { self == .lane(.urgent) || self == .overflow(.urgent) }
}

extension Lane {
    /// In ``allCases``.
    var place: Int {
        switch self {
        case .urgent: 0
        case .normal: 1
        case .bulk: 2
        }
    }
}
