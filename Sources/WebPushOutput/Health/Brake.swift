import Pacing

/// Stops sending what a service has too much of. A value: no clock, no I/O.
///
/// | state | goes to | when |
/// |---|---|---|
/// | free | braking | messages to ten subscriptions were refused in a row |
/// | braking | free | the time that the service names is over, or otherwise 5 s, doubling to 5 min |
/// | free | free, next time for 5 s again | a message is accepted |
package struct Brake: Sendable {
    package static let tolerated = 10
    package static let longestSeconds: Int64 = 900

    /// What the service called it last.
    package private(set) var reason: String?
    /// The hashes of the subscriptions to which messages were refused since the last accepted message.
    private var refusedSubscriptions: Set<Int> = []
    private var until: Int64?
    private var backoff = Backoff(first: .seconds(5), longest: .seconds(300), jitter: 0.2)

    package init() {}

    /// Records that a service refused a message because of overload or a rate limit. Refused messages to a single
    /// subscription never begin the brake, however many there are.
    ///
    /// - Parameters:
    ///   - subscription: a hash of the subscription.
    ///   - retryAfterSeconds: 0: the service has not said.
    ///   - random: a number from 0 up to 1.
    /// - Returns: whether this begins it. What was under way when it began is refused, too, and changes nothing.
    package mutating func refused(
        _ reason: String, by subscription: Int, retryAfterSeconds: Int32, nowMilliseconds now: Int64, random: Double
    ) -> Bool {
        guard seconds(nowMilliseconds: now) == nil else { return false }
        refusedSubscriptions.insert(subscription)
        guard refusedSubscriptions.count >= Self.tolerated else { return false }
        begin(reason, retryAfterSeconds: retryAfterSeconds, nowMilliseconds: now, random: random)
        return true
    }

    /// At once, whatever was accepted.
    package mutating func begin(
        _ reason: String, retryAfterSeconds: Int32, nowMilliseconds now: Int64, random: Double
    ) {
        self.reason = reason
        refusedSubscriptions = []
        let own = backoff.failed(random: random).wholeMilliseconds
        until = now + (retryAfterSeconds > 0 ? min(Int64(retryAfterSeconds), Self.longestSeconds) * 1_000 : own)
    }

    package mutating func accepted() {
        if !refusedSubscriptions.isEmpty { refusedSubscriptions = [] }
        backoff.succeeded()
    }

    /// The remaining time without sending, in milliseconds, or `nil` if it is over.
    package func milliseconds(nowMilliseconds now: Int64) -> Int64? {
        guard let until, now < until else { return nil }
        return until - now
    }

    /// The remaining time without sending in seconds, rounded up.
    package func seconds(nowMilliseconds now: Int64) -> Int32? {
        milliseconds(nowMilliseconds: now).map { Int32(clamping: ($0 + 999) / 1_000) }
    }
}
