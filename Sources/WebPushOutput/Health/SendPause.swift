import Foundations

/// A pause in sending to a service that receives too many messages. A value type without clock or I/O.
///
/// | state | next state | when |
/// |---|---|---|
/// | free | paused | messages to ten subscriptions were refused in a row |
/// | paused | free | the delay is over: as long as the service asks for, or else 5 s, doubled each time up to 5 min |
/// | free | free, and the next delay is 5 s again | a message is accepted |
package struct SendPause: Sendable {
    package static let tolerated = 10
    package static let longestSeconds: Int64 = 900

    /// The reason that the service gave when the last pause began, or `nil` before the first pause.
    package private(set) var reason: String?
    /// The hashes of the subscriptions whose messages have been refused since the last accepted message.
    private var refusedSubscriptions: Set<Int> = []
    private var until: Int64?
    private var backoff = Backoff(first: .seconds(5), longest: .seconds(300), jitter: 0.2)

    package init() {}

    /// Records that a service refused a message because of overload or a rate limit. A pause begins only after refusals
    /// for ten subscriptions, so a single subscription never begins one.
    ///
    /// - Parameters:
    ///   - subscription: a hash that identifies the subscription.
    ///   - retryAfterSeconds: the delay that the service asks for in seconds, or 0 if it asks for none.
    ///   - random: a random number from 0 up to 1, for the jitter of the delay.
    /// - Returns: whether the refusal begins a pause. Refusals during a pause, of messages that were already on the
    ///   wire, change nothing.
    package mutating func refused(
        _ reason: String, by subscription: Int, retryAfterSeconds: Int32, nowMilliseconds now: Int64, random: Double
    ) -> Bool {
        guard seconds(nowMilliseconds: now) == nil else { return false }
        refusedSubscriptions.insert(subscription)
        guard refusedSubscriptions.count >= Self.tolerated else { return false }
        begin(reason, retryAfterSeconds: retryAfterSeconds, nowMilliseconds: now, random: random)
        return true
    }

    /// Begins a pause at once, even if messages were accepted recently. A pause that lasts longer is kept.
    package mutating func begin(
        _ reason: String, retryAfterSeconds: Int32, nowMilliseconds now: Int64, random: Double
    ) {
        refusedSubscriptions = []
        let own = backoff.failed(random: random).wholeMilliseconds
        let end = now + (retryAfterSeconds > 0 ? min(Int64(retryAfterSeconds), Self.longestSeconds) * 1_000 : own)
        if let until, until >= end { return }
        (self.reason, until) = (reason, end)
    }

    package mutating func accepted() {
        if !refusedSubscriptions.isEmpty { refusedSubscriptions = [] }
        backoff.succeeded()
    }

    /// Returns the remaining time of the pause in milliseconds, or `nil` if sending is allowed.
    package func milliseconds(nowMilliseconds now: Int64) -> Int64? {
        guard let until, now < until else { return nil }
        return until - now
    }

    /// Returns the remaining time of the pause in seconds, rounded up, or `nil` if sending is allowed.
    package func seconds(nowMilliseconds now: Int64) -> Int32? {
        milliseconds(nowMilliseconds: now).map { Int32(clamping: ($0 + 999) / 1_000) }
    }
}
