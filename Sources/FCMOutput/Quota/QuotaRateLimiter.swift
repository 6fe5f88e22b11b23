/// A rate limiter that keeps all workers together within a project's quota. A value type without clock or I/O.
///
/// The quota is divided equally among the workers that use it. A worker cannot spend the share of a whole minute in one
/// second.
package struct QuotaRateLimiter {
    /// The fraction of the quota that is used. Workers notice one another some seconds late, and the unused fraction
    /// compensates for this delay.
    package static let usedPart = 0.97
    /// The fraction of the quota that one worker uses while the number of workers is unknown.
    package static let unknownPart = 0.1
    /// The grace period for learning how many workers share the quota, in milliseconds. The database usually answers
    /// within a tenth of a second.
    package static let learningMilliseconds: Int64 = 3_000
    /// The time without use after which a quota counts as new, in milliseconds. It is shorter than
    /// `QuotaCensus.useLasts`, after which the number of workers that share the quota is forgotten.
    private static let forgottenMilliseconds: Int64 = 50_000
    /// The size of the largest burst, in seconds at the current rate.
    package static let burstSeconds = 0.25

    private let perMinute: Double
    private var available = 1.0
    private var filledAt: Int64?
    /// The time at which the number of workers became unknown, in milliseconds, or `nil` if it is known.
    private var unknownSince: Int64?

    package init(perMinute: Int) {
        self.perMinute = Double(perMinute)
    }

    private func perMillisecond(_ workers: Int?) -> Double {
        perMinute * Self.usedPart * (workers.map { 1 / Double(max(1, $0)) } ?? Self.unknownPart) / 60_000
    }

    /// Adds the messages that the rate has allowed since the last call, up to one burst.
    ///
    /// - Parameter workers: the number of workers that share the quota, or `nil` if it is unknown.
    package mutating func refill(workers: Int?, nowMilliseconds now: Int64) {
        let rate = perMillisecond(workers)
        let most = max(1, rate * 1_000 * Self.burstSeconds)
        available = min(most, available + rate * Double(now - (filledAt ?? now)))
        let isFirst = filledAt.map { now - $0 >= Self.forgottenMilliseconds } ?? true
        filledAt = now
        unknownSince = workers != nil ? nil : isFirst ? now : unknownSince ?? now
    }

    /// Draws messages that may be sent now.
    ///
    /// - Returns: the number of messages drawn, at most `wanted`.
    package mutating func draw(upTo wanted: Int) -> Int {
        let drawn = min(wanted, max(0, Int(available)))
        available -= Double(drawn)
        return drawn
    }

    /// Adds messages that were drawn but not sent.
    package mutating func refund(_ count: Int) { available += Double(count) }

    /// Returns the number of messages that may be sent within some seconds, or `nil` if the number of workers has been
    /// unknown for less than ``learningMilliseconds``.
    package func room(within seconds: Double, workers: Int?) -> Int? {
        if workers == nil, let unknownSince, let filledAt, filledAt - unknownSince < Self.learningMilliseconds {
            return nil
        }
        return Int(perMillisecond(workers) * 1_000 * seconds)
    }

    /// Returns the time until the next batch of messages may be sent, in milliseconds. At a low rate a batch is one
    /// message.
    package func wait(workers: Int?) -> Int64 {
        let rate = perMillisecond(workers)
        let batch = max(1, rate * 10)
        return max(1, Int64(((batch - available) / rate).rounded(.up)))
    }
}
