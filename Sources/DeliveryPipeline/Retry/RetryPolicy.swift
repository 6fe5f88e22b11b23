package import PushModel

/// When a push that was certainly not accepted is tried again. A value: no clock, no I/O.
///
/// With the default delays:
///
/// | attempt that failed | waits |
/// |---|---|
/// | 1 | 5 s |
/// | 2 | 30 s |
/// | 3 | 2 min |
/// | 4 | 15 min, which is what Apple asks for after a 500 or 503 |
/// | 5 and later | 1 h |
public struct RetryPolicy: Sendable {
    package enum Decision: Equatable {
        case wait(seconds: Int)
        case giveUp
        /// The job's own deadline comes before the next attempt would.
        case expire
    }

    /// The delay queues there are, in seconds, rising.
    public let delays: [Int]
    public let maximumAttempts: Int

    public init(delays: [Int] = [5, 30, 120, 900, 3600], maximumAttempts: Int = 10) {
        self.delays = delays
        self.maximumAttempts = maximumAttempts
    }

    /// What to do after `attempt` (1 for the first) has failed.
    package func decide(afterAttempt attempt: Int, expiration: Job.Expiration?, now: Timestamp) -> Decision {
        guard attempt < maximumAttempts, let longest = delays.last else { return .giveUp }
        let delay = attempt <= delays.count ? delays[attempt - 1] : longest
        return fits(delay, expiration, now)
    }

    /// How long a job waits whose app is paused or whose credential can't be used just now; does not count
    /// as an attempt.
    package func hold(expiration: Job.Expiration?, now: Timestamp) -> Decision {
        guard let delay = delays.first(where: { $0 >= 30 }) ?? delays.last else { return .giveUp }
        return fits(delay, expiration, now)
    }

    private func fits(_ delay: Int, _ expiration: Job.Expiration?, _ now: Timestamp) -> Decision {
        switch expiration {
        case .nowOrNever: .expire
        case .at(let deadline) where deadline.seconds < now.seconds + Int64(delay): .expire
        default: .wait(seconds: delay)
        }
    }
}
