import Pacing
package import PushModel

/// What a process knows of the token that a fleet shares for one key. A value: no clock, no I/O.
///
/// | state | goes to |
/// |---|---|
/// | none | fetching, when somebody needs a token |
/// | fetching | held, with the store's answer; failed, without |
/// | held | fetching, when somebody needs a token and this one is due for renewal or refused as expired |
/// | failed | fetching, when somebody needs a token after 1 to 30 s; what was held stays held |
package struct ProviderTokenCache {
    package enum Answer {
        case token(ProviderToken)
        /// One is being fetched and will be there soon.
        case pending
        case unavailable
    }

    /// A question to the store.
    package struct Fetch: Equatable {
        /// The store's answer must be younger than this.
        package let age: Int64
        package let askedAt: Int64
    }

    /// A token that stayed the newest although APNs called it expired is asked about again after this time.
    package static let recheckInterval: Int64 = 30_000
    /// The store's clock may say that there is time left where ours says that there is none.
    private static let shortestHold: Int64 = 5_000

    private let patience: Int64
    private var held: ProviderToken?
    private var renewAt: Int64 = .min
    private var isRefused = false
    private var recheckNotBefore: Int64 = .min
    private var fetch: Fetch?
    private var backoff = Backoff(first: .seconds(1), longest: .seconds(30))
    private var fetchNotBefore: Int64 = .min

    /// - Parameter patience: with no answer after so many milliseconds the store counts as away.
    package init(patience: Int64 = 5_000) {
        self.patience = patience
    }

    /// - Returns: the token to begin using now; and, if the store must be asked, what.
    package mutating func needed(now: Int64) -> (Answer, Fetch?) {
        if let held, !isRefused, now < renewAt { return (.token(held), nil) }
        var begun: Fetch?
        if fetch == nil, now >= fetchNotBefore {
            begun = Fetch(
                age: isRefused ? ProviderTokenSchedule.earliestRenewalAge : ProviderTokenSchedule.renewalAge,
                askedAt: now)
            fetch = begun
        }
        let isSoonThere = fetch.map { now - $0.askedAt < patience } ?? false
        if !isSoonThere || backoff.failures > 0, let held, !isRefused,
            held.age(at: now) < ProviderTokenSchedule.greatestAgeAtFirstUse
        {
            return (.token(held), begun)
        }
        return (isSoonThere ? .pending : .unavailable, begun)
    }

    /// - Returns: whether this ends a row of failures.
    package mutating func fetched(_ shared: SharedToken, now: Int64) -> Bool {
        guard let fetch else { return false }
        self.fetch = nil
        let wasFailing = backoff.failures > 0
        backoff.succeeded()
        fetchNotBefore = .min
        // The same one again means that it stays, but only if the store was asked because of the refusal.
        if fetch.age == ProviderTokenSchedule.earliestRenewalAge || shared.token != held?.token { isRefused = false }
        // It was that old at some time since we asked: the earliest makes it oldest.
        let token = ProviderToken(token: shared.token, issuedAt: fetch.askedAt - shared.age)
        held = token
        renewAt = max(token.issuedAt + ProviderTokenSchedule.renewalAge, now + Self.shortestHold)
        return wasFailing
    }

    /// - Parameter random: a number from 0 up to 1.
    /// - Returns: whether this is the first failure in a row.
    package mutating func fetchFailed(now: Int64, random: Double) -> Bool {
        fetch = nil
        fetchNotBefore = now + backoff.failed(random: random).wholeMilliseconds
        return backoff.failures == 1
    }

    /// APNs called this token expired.
    package mutating func refused(_ token: Secret, now: Int64) {
        guard held?.token == token, now >= recheckNotBefore else { return }
        isRefused = true
        recheckNotBefore = now + Self.recheckInterval
    }
}
