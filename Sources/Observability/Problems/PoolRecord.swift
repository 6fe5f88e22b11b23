/// A record of one pool's answers in the last minute, updated every two seconds. It detects four kinds of trouble.
/// A value type without clock or I/O.
///
/// | trouble | begins when |
/// |---|---|
/// | silent | requests were on the wire at every reading for 25 seconds, and no answer arrived |
/// | failing | at least 20 % of the answers failed, or the last five failed and pushes are delayed |
/// | rejecting | at least 90 % of the answers reject the recipient or the push |
/// | slow | more than 50 % of the answers took longer than two seconds |
///
/// The percentages count only if the last minute had at least ten answers. `failing`, `rejecting` and `slow` end when
/// their condition no longer holds. `silent` ends when an answer arrives. It also ends when no request is on the wire
/// and either no push is delayed or nothing has been sent for 16 minutes.
struct PoolRecord: Sendable {
    /// The counters of a pool at one moment.
    struct Counts: Sendable, Equatable {
        var accepted = 0
        var refused = 0
        var failed = 0
        var slow = 0

        var all: Int { accepted + refused + failed }

        static func - (left: Self, right: Self) -> Self {
            Self(
                accepted: left.accepted - right.accepted, refused: left.refused - right.refused,
                failed: left.failed - right.failed, slow: left.slow - right.slow)
        }
    }

    /// The time without an answer after which a server is silent. It is far longer than a normal answer takes, and
    /// shorter than the default of `request_timeout`.
    static let patience = Duration.seconds(25)
    private static let length = Duration.seconds(60)
    private static let fewest = 10
    private static let fewestInRow = 5

    /// The time for which a trouble is remembered after the last request or failed answer. The longest pause between
    /// two attempts is 15 minutes.
    private static let remembered = Duration.seconds(960)

    private var looks: [(at: ContinuousClock.Instant, counts: Counts)] = []
    private var lastRequest: ContinuousClock.Instant?
    private var lastFailure: ContinuousClock.Instant?
    private var silentSince: ContinuousClock.Instant?
    private var isSilent = false
    private var failuresInRow = 0
    private(set) var requests = 0

    /// Creates a record.
    ///
    /// - Parameter now: the time of the last reading before the pool existed, or `nil` if the pool may be older than
    ///   the first reading.
    init(since now: ContinuousClock.Instant? = nil) {
        if let now { looks = [(now, Counts())] }
    }

    /// Adds a reading of the pool's counters.
    ///
    /// - Parameters:
    ///   - requests: the number of requests on the wire.
    ///   - isAnyPushDelayed: whether pushes of this worker have been delayed in the last minute.
    mutating func look(
        _ counts: Counts, requests: Int, isAnyPushDelayed: Bool, now: ContinuousClock.Instant
    ) {
        let new = counts - (looks.last?.counts ?? counts)
        looks.append((now, counts))
        if let first = looks.lastIndex(where: { now - $0.at >= Self.length }) { looks.removeFirst(first) }
        self.requests = requests
        if new.accepted + new.refused > 0 { failuresInRow = 0 } else { failuresInRow += new.failed }
        if requests > 0 { lastRequest = now }
        if new.failed > 0 { lastFailure = now }
        if let lastFailure, now - lastFailure > Self.remembered { failuresInRow = 0 }
        if !isAnyPushDelayed { failuresInRow = min(failuresInRow, Self.fewestInRow - 1) }
        let isForgotten = lastRequest.map { now - $0 > Self.remembered } ?? true
        if new.all > 0 || (requests == 0 && (!isSilent || !isAnyPushDelayed || isForgotten)) {
            (silentSince, isSilent) = (nil, false)
        }
        if requests > 0, silentSince == nil { silentSince = now }
        if requests > 0, let silentSince, now - silentSince >= Self.patience { isSilent = true }
    }

    var minute: Counts {
        guard let first = looks.first, let last = looks.last else { return Counts() }
        return last.counts - first.counts
    }

    /// Whether the pool has had answers in the last minute, has requests on the wire, or was silent or failing at the
    /// end of its last activity.
    var isActive: Bool { minute.all > 0 || requests > 0 || isSilent || failuresInRow > 0 }

    func troubles(
        output: String, environment: String, name: String, now: ContinuousClock.Instant
    ) -> [PoolTrouble] {
        let minute = minute
        func trouble(_ kind: PoolTrouble.Kind, _ concerned: Int) -> PoolTrouble {
            PoolTrouble(
                output: output, environment: environment, names: [name], kind: kind, answers: minute.all,
                concerned: concerned)
        }
        var found: [PoolTrouble] = []
        if isSilent, let silentSince {
            found.append(trouble(.silent(seconds: Int((now - silentSince) / .seconds(1))), requests))
        }
        let isMany = minute.all >= Self.fewest
        if (isMany && minute.failed * 5 >= minute.all) || failuresInRow >= Self.fewestInRow {
            found.append(trouble(.failing, minute.failed))
        }
        if isMany, minute.refused * 10 >= minute.all * 9 { found.append(trouble(.rejecting, minute.refused)) }
        if isMany, minute.slow * 2 > minute.all { found.append(trouble(.slow, minute.slow)) }
        return found
    }
}
