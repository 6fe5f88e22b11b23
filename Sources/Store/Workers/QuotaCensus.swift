/// The quotas that this worker shares, with the number of workers that share each quota. A value type without clock or
/// I/O.
///
/// | event | number of workers for the quota |
/// |---|---|
/// | first request | unknown; the worker's row must be written immediately |
/// | counts from the database | the count |
/// | database unavailable | unchanged; for 15 s after the outage it can only rise, while other workers reconnect |
/// | no permission, or no table | 1, because the other workers can't be counted |
/// | no request for a minute | forgotten |
package struct QuotaCensus: Sendable {
    private struct Quota {
        var lastAsked: ContinuousClock.Instant
        var workers: Int?
    }

    static let useLasts = Duration.seconds(60)
    /// The time within which all workers reach the database again after an outage. They retry at least every five
    /// seconds.
    static let returnTakes = Duration.seconds(15)

    private var quotas: [String: Quota] = [:]
    /// Whether the last query of the database failed.
    private var isAway = false
    private var growsOnlyUntil: ContinuousClock.Instant?
    /// Whether the worker can neither announce its quotas nor count other workers.
    private var isAlone = false

    package init() {}

    /// The number of workers that share each quota, by its name. Quotas with an unknown number are left out.
    package var workers: [String: Int] { quotas.compactMapValues(\.workers) }

    /// Records a request for a quota.
    ///
    /// - Returns: the number of workers that share the quota, or `nil` if it is unknown, and whether the quota is new.
    ///   The worker's row does not contain a new quota yet, so the other workers do not count this worker.
    package mutating func ask(_ name: String, now: ContinuousClock.Instant) -> (workers: Int?, isNew: Bool) {
        let known = quotas[name]
        quotas[name, default: Quota(lastAsked: now, workers: isAlone ? 1 : nil)].lastAsked = now
        return (quotas[name]?.workers, known == nil)
    }

    /// Returns the names of the quotas in use, and forgets quotas that were not requested for a minute.
    package mutating func names(now: ContinuousClock.Instant) -> [String] {
        quotas = quotas.filter { now - $0.value.lastAsked < Self.useLasts }
        return quotas.keys.sorted()
    }

    /// Records the numbers of workers that the database returned.
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
