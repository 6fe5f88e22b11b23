package import Metering

/// A detector of servers that answer late, with errors, or not at all. A value type without clock or I/O.
///
/// Each credential is examined separately, so that the traffic of one credential does not hide the outage of another.
/// If one connection serves several credentials, each entry of the list of allowed hosts is examined separately
/// instead.
package struct PoolProblemDetector: Sendable {
    private struct Place: Hashable {
        let output, environment: String
    }

    private struct Pool: Hashable {
        let place: Place
        /// The credential's id, or the host if one connection serves several credentials.
        let name: String

        init(_ labels: [String: String]) {
            place = Place(output: labels["output"] ?? "", environment: labels["environment"] ?? "")
            name = [labels["credential"], labels["host"]].compactMap(\.self).first { !$0.isEmpty } ?? ""
        }
    }

    package static let families: [MetricFamily] = [.poolStreams, .poolAnswers, .poolSlowAnswers]
    /// The maximum number of pools whose troubles are reported separately. If more pools or all active pools have the
    /// same trouble, it is reported once.
    private static let mostPools = 3

    private var records: [Pool: PoolRecord] = [:]
    private var lastLook: ContinuousClock.Instant?
    /// The current troubles, sorted by output, environment and kind.
    package private(set) var troubles: [PoolTrouble] = []

    package init() {}

    /// Adds a reading of the pools' metrics and updates ``troubles``.
    ///
    /// - Parameter isAnyPushDelayed: whether pushes of this worker were delayed in the last minute.
    package mutating func look(at page: MetricPage, isAnyPushDelayed: Bool, now: ContinuousClock.Instant) {
        var counts: [Pool: PoolRecord.Counts] = [:]
        for (labels, value) in page.values(of: .poolAnswers) {
            let count = Int(value)
            switch labels["result"] {
            case "accepted": counts[Pool(labels), default: .init()].accepted += count
            case "refused": counts[Pool(labels), default: .init()].refused += count
            default: counts[Pool(labels), default: .init()].failed += count
            }
        }
        for (labels, value) in page.values(of: .poolSlowAnswers) {
            counts[Pool(labels), default: .init()].slow += Int(value)
        }
        var requests: [Pool: Int] = [:]
        for (labels, value) in page.values(of: .poolStreams) { requests[Pool(labels), default: 0] += Int(value) }
        for pool in Set(counts.keys).union(requests.keys) {
            records[pool, default: PoolRecord(since: lastLook)].look(
                counts[pool] ?? .init(), requests: requests[pool] ?? 0, isAnyPushDelayed: isAnyPushDelayed, now: now)
        }
        lastLook = now
        troubles = Dictionary(grouping: records, by: \.key.place).flatMap { Self.troubles(of: $0.value, now: now) }
            .sorted { ($0.output, $0.environment, "\($0.kind)") < ($1.output, $1.environment, "\($1.kind)") }
    }

    /// Returns the troubles of the pools of one output and environment.
    private static func troubles(
        of pools: [(key: Pool, value: PoolRecord)], now: ContinuousClock.Instant
    ) -> [PoolTrouble] {
        let active = pools.filter(\.value.isActive)
        var left = active.flatMap { pool, record in
            record.troubles(
                output: pool.place.output, environment: pool.place.environment, name: pool.name, now: now)
        }.sorted { $0.names.lexicographicallyPrecedes($1.names) }
        var found: [PoolTrouble] = []
        while let kind = left.first?.kind {
            let alike = left.filter { $0.kind.isLike(kind) }
            left.removeAll { $0.kind.isLike(kind) }
            let areAll = alike.count == active.count
            guard areAll || alike.count > mostPools else {
                found += alike
                continue
            }
            if let joined = PoolTrouble.joined(alike, areAll: areAll) { found.append(joined) }
        }
        return found
    }
}
