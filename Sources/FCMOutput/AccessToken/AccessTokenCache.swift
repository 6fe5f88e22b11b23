import HTTP2Pool
import Pacing
package import PushModel

/// What a pool knows of its access token. A value: no clock, no I/O.
///
/// | state | goes to |
/// |---|---|
/// | none | fetching, when something waits |
/// | fetching | held, with a token; none or held as before, without |
/// | held | fetching, five minutes before it ends, or when FCM refuses it: it is used meanwhile, unless it was refused |
/// | failed | fetching, when something waits, after 1 to 60 s; refused: when something waits, so after the breaker's time |
///
/// Several tokens of an account are good at a time, so each worker has its own (Google Identity documents no limit).
package struct AccessTokenCache {
    package enum Answer: Equatable {
        case token(Secret)
        /// One is being fetched and will be there soon.
        case pending
        /// None can be had just now.
        case unavailable(String)
        case refused(TokenRefusal)
    }

    /// A token is renewed so long before its end, and up to a minute more, so that a fleet does not ask all at once.
    package static let renewalMilliseconds: Int64 = 300_000
    package static let jitterMilliseconds: Int64 = 60_000
    /// It is not used for so long before its end.
    package static let marginMilliseconds: Int64 = 10_000
    /// With no answer after so long there is none for those who wait.
    package static let patienceMilliseconds: Int64 = 8_000
    /// For so long after a refused token was replaced, refusals are taken to be about that one.
    package static let stragglersMilliseconds: Int64 = 10_000

    private var held: Secret?
    private var renewAt: Int64 = .min
    private var endsAt: Int64 = .min
    private var isRefusedByFCM = false
    /// Answers to requests with a token that was refused still come in.
    private var isNewUntil: Int64 = .min
    private var fetchingSince: Int64?
    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
    private var fetchNotBefore: Int64 = .min
    private var failure: String?
    private var refusal: TokenRefusal?
    private var reachability = Reachability()

    package init() {}

    /// Whether what waits has found no token for half a minute or longer, nor word of the account.
    package func isUnreachable(now: Int64) -> Bool { reachability.isUnreachable(nowMilliseconds: now) }

    /// Something waits.
    ///
    /// - Returns: the token to use now; and whether one is to be fetched, which then counts as begun.
    package mutating func needed(now: Int64) -> (answer: Answer, fetches: Bool) {
        let usable = held != nil && !isRefusedByFCM && now < endsAt
        if usable, now < renewAt { return (held.map(Answer.token) ?? .pending, false) }
        var fetches = false
        if fetchingSince == nil, now >= fetchNotBefore {
            fetchingSince = now
            refusal = nil
            fetches = true
        }
        if usable, let held { return (.token(held), fetches) }
        if let refusal { return (.refused(refusal), fetches) }
        if let since = fetchingSince, now - since < Self.patienceMilliseconds { return (.pending, fetches) }
        reachability.failed(nowMilliseconds: now)
        return (.unavailable(failure ?? "the token endpoint does not answer"), fetches)
    }

    /// - Parameter random: a number from 0 up to 1.
    /// - Returns: whether what came is worth a word: it failed, or it ends a row of failures, or it is the first refusal.
    package mutating func fetched(_ answer: TokenAnswer, now: Int64, random: Double) -> Bool {
        guard let asked = fetchingSince else { return false }
        fetchingSince = nil
        let wasFailing = failure != nil
        if case .failed = answer {} else { reachability.connected() }
        switch answer {
        case .token(let token, let lifetime):
            held = token
            if isRefusedByFCM { isNewUntil = now + Self.stragglersMilliseconds }
            isRefusedByFCM = false
            endsAt = asked + lifetime * 1_000 - Self.marginMilliseconds
            let ahead = Self.renewalMilliseconds + Int64(Double(Self.jitterMilliseconds) * random)
            // One that lives so short is renewed at half its time.
            renewAt = max(endsAt - ahead, asked + lifetime * 500)
            backoff.succeeded()
            fetchNotBefore = .min
            failure = nil
            return wasFailing
        case .refused(let refusal):
            self.refusal = refusal
            failure = refusal.description
            // Where none is left to go on with, the breaker of the credential says when again.
            let isUsable = held != nil && !isRefusedByFCM && now < endsAt
            fetchNotBefore = now + (isUsable ? backoff.failed(random: random).wholeMilliseconds : 1_000)
        case .failed(let why):
            failure = why
            fetchNotBefore = now + backoff.failed(random: random).wholeMilliseconds
            return true
        }
        return !wasFailing
    }

    /// FCM does not take this token, or the one before it, where that was refused a moment ago.
    package mutating func refused(_ token: Secret, now: Int64) {
        if token == held, now >= isNewUntil { isRefusedByFCM = true }
    }
}
