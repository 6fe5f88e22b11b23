/// Tells a bad device token from a mix-up: when sandbox tokens are sent to production, or the topic is wrong,
/// APNs calls every token bad. A value: no clock, no I/O.
///
/// So a token is believed to be bad only when a good one of the same topic was sent at the same time or later, and
/// few of the recent ones were bad. Until that is known the suspicion waits, but not for long.
package struct TokenGuard: Sendable {
    package struct Suspicion: Sendable {
        let since: Int64
        let sentAt: Int64
    }

    package enum Judgement: Equatable {
        case wait
        case bad
        case unknown
    }

    /// So many bad tokens without a good one between them are no accident.
    package static let burst = 20
    /// Others that were on the wire at the same time have been answered by then.
    package static let leastMilliseconds: Int64 = 1_000
    package static let patienceMilliseconds: Int64 = 5_000
    /// What counts as recent: one to two of these.
    package static let periodMilliseconds: Int64 = 300_000

    private struct Period {
        var good = 0
        var bad = 0
    }

    private var current = Period()
    private var last = Period()
    private var periodBegan: Int64 = 0
    /// When the latest good one was sent, in milliseconds.
    private var goodSentAt = Int64.min
    private var badInARow = 0

    package init() {}

    /// APNs knows the token: accepted, or unregistered since.
    package mutating func good(sentAt: Int64) {
        current.good += 1
        if sentAt > goodSentAt { goodSentAt = sentAt }
        badInARow = 0
    }

    package mutating func bad(sentAt: Int64, nowMilliseconds now: Int64) -> Suspicion {
        current.bad += 1
        badInARow += 1
        return Suspicion(since: now, sentAt: sentAt)
    }

    package var isBurst: Bool { badInARow >= Self.burst }

    package func judge(_ suspicion: Suspicion, nowMilliseconds now: Int64) -> Judgement {
        let age = now - suspicion.since
        guard age >= Self.leastMilliseconds else { return .wait }
        if isBurst { return .unknown }
        if goodSentAt >= suspicion.sentAt { return isShareSmall ? .bad : .unknown }
        return age < Self.patienceMilliseconds ? .wait : .unknown
    }

    private var isShareSmall: Bool {
        let bad = current.bad + last.bad
        return bad * 5 <= current.good + last.good + bad
    }

    /// Now and then, so that what is long ago does not count.
    package mutating func tick(nowMilliseconds now: Int64) {
        guard now - periodBegan >= Self.periodMilliseconds else { return }
        last = now - periodBegan < 2 * Self.periodMilliseconds ? current : Period()
        current = Period()
        periodBegan = now
    }
}
