/// A rate limiter that keeps all workers together within a project's quota. A value: no clock, no I/O.
///
/// The quota is divided equally among the workers that use it. A worker's share of a minute cannot be spent in one
/// second.
package struct QuotaPace {
    /// The part of the quota that is used. Workers learn of one another some seconds late, and the rest compensates for
    /// that.
    package static let usedPart = 0.97
    /// The share of the quota that is used while the number of workers is unknown.
    package static let unknownPart = 0.1
    /// The time within which a worker usually learns how many workers share the quota, in milliseconds. The database
    /// answers in about a tenth of a second, unless it is down.
    package static let learningMilliseconds: Int64 = 3_000
    /// The time after which workers remove a quota that none of them has used, in milliseconds.
    private static let forgottenMilliseconds: Int64 = 50_000
    /// The size of the largest burst, in seconds at the current rate.
    package static let burstSeconds = 0.25

    private let perMinute: Double
    private var available = 1.0
    private var filledAt: Int64?
    /// The time since which the number of workers is unknown, or `nil` if it is known.
    private var unknownSince: Int64?

    package init(perMinute: Int) {
        self.perMinute = Double(perMinute)
    }

    private func perMillisecond(_ workers: Int?) -> Double {
        perMinute * Self.usedPart * (workers.map { 1 / Double(max(1, $0)) } ?? Self.unknownPart) / 60_000
    }

    /// Adds the messages that became available since the last call.
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

    /// Takes messages from the available ones.
    ///
    /// - Returns: the number of messages that may be sent now, at most `wanted`.
    package mutating func draw(upTo wanted: Int) -> Int {
        let drawn = min(wanted, max(0, Int(available)))
        available -= Double(drawn)
        return drawn
    }

    /// Gives back messages that were drawn but not sent.
    package mutating func giveBack(_ count: Int) { available += Double(count) }

    /// Returns how many messages may be sent within some seconds, or `nil` if that is not known yet.
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
