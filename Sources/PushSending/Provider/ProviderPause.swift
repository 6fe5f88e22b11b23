internal import Foundations

/// The pause of a pool after the provider limits its rate. A value type without clock or I/O. Times are in
/// milliseconds.
package struct ProviderPause {
    private static let longestSeconds = 900

    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60), jitter: 0.5)
    private var until = Int64.min
    private var beganAt = Int64.min

    package init() {}

    /// Returns the rest of the pause, or 0 if there is no pause.
    package func rest(at now: Int64) -> Int64 { until > now ? until - now : 0 }

    /// Records an answer that asks to pause. Requests that were on the wire when the pause began do not make it longer,
    /// unless their answers state a longer delay.
    ///
    /// - Parameters:
    ///   - seconds: The stated delay, or 0 if the answer states none.
    ///   - random: A number from 0 up to, but not including, 1.
    /// - Returns: Whether a new pause begins.
    package mutating func throttled(seconds: Int, writtenAt: Int64, now: Int64, random: Double) -> Bool {
        let isNew = writtenAt > beganAt
        if isNew { beganAt = now }
        let own = isNew ? backoff.failed(random: random).wholeMilliseconds : 0
        until = max(until, now + (seconds > 0 ? Int64(min(seconds, Self.longestSeconds)) * 1_000 : own))
        return isNew
    }

    package mutating func accepted(writtenAt: Int64) {
        if writtenAt > beganAt { backoff.succeeded() }
    }
}
