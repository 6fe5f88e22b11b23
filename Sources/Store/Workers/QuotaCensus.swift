/// The quotas that this worker shares, with the number of workers that share each. A value type without a clock or I/O.
///
/// | event | state of the quota |
/// |---|---|
/// | first request | unknown; the worker's row must be written at once |
/// | counted | known |
/// | database unavailable | unchanged; for a while afterwards it only grows, because other workers may return later |
/// | no right, or no table | used by this worker alone |
/// | not requested for a minute | forgotten |
package struct QuotaCensus: Sendable {
    private struct Quota {
        var lastAsked: ContinuousClock.Instant
        var workers: Int?
    }

    static let useLasts = Duration.seconds(60)
    /// The time after which all workers have reached the database again. They retry at least every five seconds.
    static let returnTakes = Duration.seconds(15)

    private var quotas: [String: Quota] = [:]
    /// Whether the last query of the database failed.
    private var isAway = false
    private var growsOnlyUntil: ContinuousClock.Instant?
    /// Whether the worker can neither announce its quotas nor count other workers.
    private var isAlone = false

    package init() {}

    /// The number of workers for each quota, if it is known.
    package var workers: [String: Int] { quotas.compactMapValues(\.workers) }

    /// Requests a quota.
    /// - Returns: the number of workers that share the quota, and whether it is new, so that no other worker knows of
    ///   it yet.
    package mutating func ask(_ name: String, now: ContinuousClock.Instant) -> (workers: Int?, isNew: Bool) {
        let known = quotas[name]
        quotas[name, default: Quota(lastAsked: now, workers: isAlone ? 1 : nil)].lastAsked = now
        return (quotas[name]?.workers, known == nil)
    }

    /// Returns the quotas that are in use.
    package mutating func names(now: ContinuousClock.Instant) -> [String] {
        quotas = quotas.filter { now - $0.value.lastAsked < Self.useLasts }
        return quotas.keys.sorted()
    }

    /// Records the counts from the database.
    package mutating func counted(_ counts: [String: Int], now: ContinuousClock.Instant) {
        if isAway { growsOnlyUntil = now + Self.returnTakes }
        (isAway, isAlone) = (false, false)
        let growsOnly = growsOnlyUntil.map { now < $0 } ?? false
        for (name, count) in counts {
            let least = growsOnly ? quotas[name]?.workers ?? 0 : 0
            quotas[name]?.workers = max(count, least)
        }
    }

    /// Records that a query of the database failed.
    package mutating func failed() { isAway = true }

    /// Records that the database will reject queries until an operator intervenes.
    package mutating func refused() {
        isAlone = true
        for name in quotas.keys { quotas[name]?.workers = 1 }
    }
}
