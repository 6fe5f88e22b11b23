/// Which quotas this worker shares, and among how many. A value: no clock, no I/O.
///
/// | a quota is | and then |
/// |---|---|
/// | asked for, for the first time | unknown: the row is to be written at once |
/// | counted | known |
/// | known, and the database is away | known as it was; for a while after that it only grows: others may come back later |
/// | not to be found out: no right, no table | this worker's alone |
/// | not asked for, for a minute | forgotten |
package struct QuotaCensus: Sendable {
    private struct Quota {
        var lastAsked: ContinuousClock.Instant
        var workers: Int?
    }

    static let useLasts = Duration.seconds(60)
    /// All have found the database again by then: they try every five seconds at least.
    static let returnTakes = Duration.seconds(15)

    private var quotas: [String: Quota] = [:]
    /// The last look at the database failed.
    private var isAway = false
    private var growsOnlyUntil: ContinuousClock.Instant?
    /// Others can neither be told nor counted.
    private var isAlone = false

    package init() {}

    /// Those that are known.
    package var workers: [String: Int] { quotas.compactMapValues(\.workers) }

    /// - Returns: how many share it; and whether nobody was told of it yet.
    package mutating func ask(_ name: String, now: ContinuousClock.Instant) -> (workers: Int?, isNew: Bool) {
        let known = quotas[name]
        quotas[name, default: Quota(lastAsked: now, workers: isAlone ? 1 : nil)].lastAsked = now
        return (quotas[name]?.workers, known == nil)
    }

    /// Those that are in use.
    package mutating func names(now: ContinuousClock.Instant) -> [String] {
        quotas = quotas.filter { now - $0.value.lastAsked < Self.useLasts }
        return quotas.keys.sorted()
    }

    /// The database has counted.
    package mutating func counted(_ counts: [String: Int], now: ContinuousClock.Instant) {
        if isAway { growsOnlyUntil = now + Self.returnTakes }
        (isAway, isAlone) = (false, false)
        let growsOnly = growsOnlyUntil.map { now < $0 } ?? false
        for (name, count) in counts {
            let least = growsOnly ? quotas[name]?.workers ?? 0 : 0
            quotas[name]?.workers = max(count, least)
        }
    }

    /// It could not be asked.
    package mutating func failed() { isAway = true }

    /// It will not answer until a person does something.
    package mutating func refused() {
        isAlone = true
        for name in quotas.keys { quotas[name]?.workers = 1 }
    }
}
