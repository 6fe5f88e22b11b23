import Foundations
package import PushModel

/// A process's copy of the provider token that all workers use for one key. A value type without clock or I/O.
///
/// | state | goes to |
/// |---|---|
/// | none | fetching, when a token is needed |
/// | fetching | held, if the store answers; failed, if it does not |
/// | held | fetching, when a token is needed and the held one is due for renewal or was refused as expired |
/// | failed | fetching, when a token is needed, after a back-off of up to 30 s; a held token stays held |
package struct ProviderTokenCache {
    package enum Answer {
        case token(ProviderToken)
        /// A token is being fetched and will be available soon.
        case pending
        case unavailable
    }

    /// A request to the store.
    package struct Fetch: Equatable {
        /// The age in milliseconds below which the store returns its newest token instead of a new one.
        package let age: Int64
        package let askedAt: Int64
    }

    /// The minimum time between two recorded refusals, in milliseconds. It limits the requests to the store while APNs
    /// calls the newest token expired.
    package static let recheckInterval: Int64 = 30_000
    /// The minimum time between fetching a token and renewing it, in milliseconds. Without it, a token that is due for
    /// renewal by this process's clock, but not by the store's clock, would be fetched again immediately.
    private static let shortestHold: Int64 = 5_000

    private let patience: Int64
    private var held: ProviderToken?
    private var renewAt: Int64 = .min
    private var isRefused = false
    private var recheckNotBefore: Int64 = .min
    private var fetch: Fetch?
    private var backoff = Backoff(first: .seconds(1), longest: .seconds(30))
    private var fetchNotBefore: Int64 = .min

    /// Creates an empty cache.
    ///
    /// - Parameter patience: the time in milliseconds after which a store that does not answer counts as unavailable.
    package init(patience: Int64 = 5_000) {
        self.patience = patience
    }

    /// Returns the token to use from now on, and the request that the caller must make to the store, or `nil` for no
    /// request.
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

    /// Records the store's answer.
    ///
    /// - Returns: whether the answer ends a series of failures.
    package mutating func fetched(_ shared: SharedToken, now: Int64) -> Bool {
        guard let fetch else { return false }
        self.fetch = nil
        let wasFailing = backoff.failures > 0
        backoff.succeeded()
        fetchNotBefore = .min
        // If the store returns the refused token again, the token is used again only if the request was made because of
        // the refusal.
        if fetch.age == ProviderTokenSchedule.earliestRenewalAge || shared.token != held?.token { isRefused = false }
        // The store measured this age at some time after the request. The age is counted from the request, so that the
        // token never appears younger than it is.
        let token = ProviderToken(token: shared.token, issuedAt: fetch.askedAt - shared.age)
        held = token
        renewAt = max(token.issuedAt + ProviderTokenSchedule.renewalAge, now + Self.shortestHold)
        return wasFailing
    }

    /// Records that the store could not supply a token.
    ///
    /// - Parameter random: a random number from 0 to 1.
    /// - Returns: whether this is the first failure in a series.
    package mutating func fetchFailed(now: Int64, random: Double) -> Bool {
        fetch = nil
        fetchNotBefore = now + backoff.failed(random: random).wholeMilliseconds
        return backoff.failures == 1
    }

    /// Records that APNs called a token expired. The next call of ``needed(now:)`` then requests a token from the
    /// store, unless the token was replaced meanwhile or another refusal was recorded within ``recheckInterval``.
    package mutating func refused(_ token: Secret, now: Int64) {
        guard held?.token == token, now >= recheckNotBefore else { return }
        isRefused = true
        recheckNotBefore = now + Self.recheckInterval
    }
}
