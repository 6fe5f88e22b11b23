/// The answers of one pool in the last minute, read every two seconds. A value type without a clock.
///
/// | trouble | begins | ends |
/// |---|---|---|
/// | silent | for 25 seconds, requests were on the wire at every look and no answer came | an answer comes, no push waits and no request is on the wire, or nothing was sent for 16 minutes |
/// | failing | a fifth of at least ten answers of the last minute failed, or the last five answers failed and pushes wait | neither holds |
/// | rejecting | nine tenths of at least ten answers of the last minute reject the recipient or the push | the share is lower |
/// | slow | more than half of at least ten answers of the last minute took longer than two seconds | the share is lower |
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

    /// The time without an answer after which a server is silent. It is far longer than an answer takes, and shorter
    /// than the timeout of a request.
    static let patience = Duration.seconds(25)
    private static let length = Duration.seconds(60)
    private static let fewest = 10
    private static let fewestInRow = 5

    /// The time after the last request or failed answer after which a trouble is forgotten. The longest break between two
    /// attempts is 15 minutes.
    private static let remembered = Duration.seconds(960)

    private var looks: [(at: ContinuousClock.Instant, counts: Counts)] = []
    private var lastRequest: ContinuousClock.Instant?
    private var lastFailure: ContinuousClock.Instant?
    private var silentSince: ContinuousClock.Instant?
    private var isSilent = false
    private var failuresInRow = 0
    private(set) var requests = 0

    /// - Parameter now: the time of a look before the pool's first request, or `nil` if the pool may be older than the watch.
    init(since now: ContinuousClock.Instant? = nil) {
        if let now { looks = [(now, Counts())] }
    }

    /// - Parameters:
    ///   - requests: the requests on the wire.
    ///   - isAnyPushDelayed: whether pushes of this worker were delayed in the last minute.
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

    /// Whether the pool had anything to do in the last minute.
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
