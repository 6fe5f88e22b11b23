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
///
/// A provider's wish for more time is met with the next longer delay.
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
    /// How long after its first attempt a push is still tried, in seconds.
    public let maximumAge: Int

    /// The least time that a push is held, in seconds, if ``delays`` has one that long.
    private static let leastHold = 30

    public static let defaultDelays = [5, 30, 120, 900, 3600]

    public init(
        delays: [Int] = Self.defaultDelays, maximumAttempts: Int = 10, maximumAge: Int = 86_400
    ) {
        self.delays = delays
        self.maximumAttempts = maximumAttempts
        self.maximumAge = maximumAge
    }

    /// What to do after `attempt` (1 for the first) has failed.
    ///
    /// - Parameters:
    ///   - age: seconds since the first attempt.
    ///   - wish: the least to wait, in seconds.
    ///   - patience: seconds that the waits between attempts may add up to, where the provider has less of it than we; time
    ///     that a push was held back does not count.
    package func decide(
        afterAttempt attempt: Int, age: Int64 = 0, wish: Int32 = 0, patience: Int? = nil,
        expiration: Job.Expiration?, now: Timestamp
    ) -> Decision {
        guard attempt < maximumAttempts, age < maximumAge, let longest = delays.last else { return .giveUp }
        guard let patience else { return fits(wait(afterAttempt: attempt, wish) ?? longest, expiration, now) }
        var left = patience
        var inTime: Int?
        for attempt in 1...max(1, attempt) {
            inTime = wait(afterAttempt: attempt, wish, within: left)
            left -= inTime ?? left
        }
        return inTime.map { fits($0, expiration, now) } ?? .giveUp
    }

    private func wait(afterAttempt attempt: Int, _ wish: Int32, within left: Int = .max) -> Int? {
        let delay = attempt <= delays.count ? delays[attempt - 1] : delays.last ?? 0
        guard let wanted = shortest(atLeast: max(delay, Int(wish))) ?? delays.last else { return nil }
        return wanted <= left ? wanted : delays.last { $0 <= left && $0 >= wish }
    }

    /// The delay of a held push whose provider names no delay, in seconds. It is also the interval at which jobs of a
    /// paused app are checked again.
    package var shortestHold: Int? { holds.first ?? delays.last }

    private var holds: [Int] { delays.filter { $0 >= Self.leastHold } }

    /// Returns the hold time of a push whose app is paused, or whose credential is unusable or refused. A hold is not
    /// an attempt. If no delay matches `wish`, a shorter one is used, because the push may be held again.
    package func hold(
        age: Int64 = 0, wish: Int32 = 0, expiration: Job.Expiration?, now: Timestamp
    ) -> Decision {
        guard age < maximumAge, let delay = holds.last(where: { $0 <= wish }) ?? shortestHold else {
            return .giveUp
        }
        return fits(delay, expiration, now)
    }

    private func shortest(atLeast seconds: Int) -> Int? { delays.first { $0 >= seconds } }

    private func fits(_ delay: Int, _ expiration: Job.Expiration?, _ now: Timestamp) -> Decision {
        switch expiration {
        case .nowOrNever: .expire
        case .at(let deadline) where deadline.seconds < now.seconds + Int64(delay): .expire
        default: .wait(seconds: delay)
        }
    }
}
