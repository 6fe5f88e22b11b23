import HTTP2Pool
import Foundations
package import PushModel

/// The access token of one connection pool and the schedule for renewing it. A value type without clock or I/O.
///
/// | state | goes to |
/// |---|---|
/// | none | fetching, when a push needs a token |
/// | fetching | held, if a token arrives; otherwise refused or failed |
/// | held | fetching, five to six minutes before the end of the token's use (it stays in use), or when FCM refuses it |
/// | failed | fetching, when a push needs a token, after a back-off of up to 60 s |
/// | refused | fetching, when a push needs a token, after 15 s to 15 min |
///
/// Each worker requests a token of its own. This is possible because Google Identity documents no limit on the number
/// of valid tokens of an account.
package struct AccessTokenCache {
    package enum Answer: Equatable {
        case token(Secret)
        /// A token has been requested and will be available soon.
        case pending
        /// No token is available at present. The associated value is the reason.
        case unavailable(String)
        /// The token endpoint refuses the service account.
        case refused(TokenRefusal)
    }

    /// The lead time for renewing a token before it goes out of use, in milliseconds. A random part of
    /// ``jitterMilliseconds`` is added, so that the workers of a fleet do not all make requests at the same time.
    package static let renewalMilliseconds: Int64 = 300_000
    package static let jitterMilliseconds: Int64 = 60_000
    /// The remaining lifetime at which a token goes out of use, in milliseconds.
    package static let marginMilliseconds: Int64 = 10_000
    /// The maximum time that pushes wait for the token endpoint's answer, in milliseconds. After this time,
    /// ``needed(now:)`` returns that no token is available.
    package static let patienceMilliseconds: Int64 = 8_000
    /// The period after the replacement of a refused token, in milliseconds. Refusals within this period are attributed
    /// to the old token.
    package static let stragglersMilliseconds: Int64 = 10_000

    private var held: Secret?
    private var renewAt: Int64 = .min
    private var endsAt: Int64 = .min
    private var isRefusedByFCM = false
    /// The end of the period in which answers to requests with the replaced token may still arrive, in milliseconds.
    private var isNewUntil: Int64 = .min
    private var fetchingSince: Int64?
    /// The back-off for failed requests: no answer, or an answer that does not concern the account.
    private var failures = Backoff(first: .seconds(1), longest: .seconds(60))
    /// The back-off for answers that refuse the account. Another request cannot succeed until an operator acts.
    private var refusals: Backoff
    private var fetchNotBefore: Int64 = .min
    private var failure: String?
    private var refusal: TokenRefusal?
    private var reachability = Reachability()

    /// Creates a cache without a token.
    ///
    /// - Parameter refusedMilliseconds: the first delay after the token endpoint refuses the account.
    package init(refusedMilliseconds: Int64 = 15_000) {
        refusals = Backoff(first: .milliseconds(refusedMilliseconds), longest: .seconds(900), jitter: 0.2)
    }

    /// Returns whether the token endpoint counts as unreachable: pushes have waited for a token for at least half a
    /// minute, and the endpoint has neither granted nor refused one.
    package func isUnreachable(now: Int64) -> Bool { reachability.isUnreachable(nowMilliseconds: now) }

    /// Returns the token for a waiting push, or the reason why there is none, and whether the caller must request a new
    /// one. If it must, the request counts as started.
    package mutating func needed(now: Int64) -> (answer: Answer, fetches: Bool) {
        let usable = usable(now: now)
        let fetches = (usable == nil || now >= renewAt) && begin(now: now)
        if let usable { return (.token(usable), fetches) }
        if let refusal { return (.refused(refusal), fetches) }
        if let since = fetchingSince, now - since < Self.patienceMilliseconds { return (.pending, fetches) }
        reachability.failed(nowMilliseconds: now)
        return (.unavailable(failure ?? "the token endpoint does not answer"), fetches)
    }

    /// Returns whether the caller must request a new token because the current one expires soon. If so, the request
    /// counts as started.
    package mutating func renews(now: Int64) -> Bool { usable(now: now) != nil && now >= renewAt && begin(now: now) }

    /// Returns whether a usable token exists, even if it is due for renewal.
    package func hasToken(now: Int64) -> Bool { usable(now: now) != nil }

    private func usable(now: Int64) -> Secret? { isRefusedByFCM || now >= endsAt ? nil : held }

    private mutating func begin(now: Int64) -> Bool {
        guard fetchingSince == nil, now >= fetchNotBefore else { return false }
        fetchingSince = now
        refusal = nil
        return true
    }

    /// Returns the time until the next token request is allowed, in whole seconds, at least one.
    package func pause(now: Int64) -> Int32 { Int32(clamping: max(1, (fetchNotBefore - now + 999) / 1_000)) }

    /// Records the token endpoint's answer.
    ///
    /// - Parameter random: a random number from 0 up to 1, which varies the times of renewals and retries.
    /// - Returns: whether to log the answer: a failure, the end of failures, or a new refusal.
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
            // A token with a short lifetime is renewed after half of it.
            renewAt = max(endsAt - ahead, asked + lifetime * 500)
            failures.succeeded()
            refusals.succeeded()
            fetchNotBefore = .min
            failure = nil
            return wasFailing
        case .refused(let refusal):
            let isNew = failure != refusal.description
            self.refusal = refusal
            failure = refusal.description
            failures.succeeded()
            fetchNotBefore = now + refusals.failed(random: random).wholeMilliseconds
            return isNew
        case .failed(let why):
            failure = why
            fetchNotBefore = now + failures.failed(random: random).wholeMilliseconds
            return true
        }
    }

    /// Records that FCM refused this token. Soon after a replacement, the refusal is attributed to the previous token
    /// and ignored.
    package mutating func refused(_ token: Secret, now: Int64) {
        if token == held, now >= isNewUntil { isRefusedByFCM = true }
    }
}
