/// How fast a pool may send, so that all workers together keep a project's quota. A value: no clock, no I/O.
///
/// The quota is divided equally among the workers that use it, and a minute's part is not spent in its first second.
package struct QuotaPace {
    /// Workers learn of one another some seconds late; what that may cost is not used.
    package static let usedPart = 0.97
    /// The share of the quota that is used while the number of workers is unknown.
    package static let unknownPart = 0.1
    /// The time within which a worker usually learns how many workers share the quota, in milliseconds. The database
    /// answers in about a tenth of a second, unless it is down.
    package static let learningMilliseconds: Int64 = 3_000
    /// The time after which workers remove a quota that none of them has used, in milliseconds.
    private static let forgottenMilliseconds: Int64 = 50_000
    /// What may be sent at once, in seconds of the pace.
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

    /// - Parameter workers: that share the quota; nil: not known.
    package mutating func refill(workers: Int?, nowMilliseconds now: Int64) {
        let rate = perMillisecond(workers)
        let most = max(1, rate * 1_000 * Self.burstSeconds)
        available = min(most, available + rate * Double(now - (filledAt ?? now)))
        let isFirst = filledAt.map { now - $0 >= Self.forgottenMilliseconds } ?? true
        filledAt = now
        unknownSince = workers != nil ? nil : isFirst ? now : unknownSince ?? now
    }

    /// - Returns: how many may go now, at most as many as are wanted.
    package mutating func draw(upTo wanted: Int) -> Int {
        let drawn = min(wanted, max(0, Int(available)))
        available -= Double(drawn)
        return drawn
    }

    /// They have not gone.
    package mutating func giveBack(_ count: Int) { available += Double(count) }

    /// Returns how many messages may be sent within some seconds, or `nil` if that is not known yet.
    package func room(within seconds: Double, workers: Int?) -> Int? {
        if workers == nil, let unknownSince, let filledAt, filledAt - unknownSince < Self.learningMilliseconds {
            return nil
        }
        return Int(perMillisecond(workers) * 1_000 * seconds)
    }

    /// Milliseconds until some may go, or the next where they are few.
    package func wait(workers: Int?) -> Int64 {
        let rate = perMillisecond(workers)
        let batch = max(1, rate * 10)
        return max(1, Int64(((batch - available) / rate).rounded(.up)))
    }
}
