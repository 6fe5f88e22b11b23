package import PushModel

/// The policy for retrying a push that was not accepted, or whose result is unknown. A value type without clock or I/O.
///
/// With the default delays:
///
/// | failed attempt | delay |
/// |---|---|
/// | 1 | 5 s |
/// | 2 | 30 s |
/// | 3 | 2 min |
/// | 4 | 15 min, the time that Apple requires after a 500 or 503 |
/// | 5 and later | 1 h |
///
/// If a provider requests a longer delay, the shortest of these delays that is long enough is used, or 1 h if none is.
package struct RetryPolicy: Sendable {
    package enum Decision: Equatable {
        case wait(seconds: Int)
        case giveUp
        /// The next attempt would be later than the job's deadline, or the job permits no later attempt.
        case expire
    }

    /// The delays of the delay queues, in seconds and in ascending order.
    package let delays: [Int]
    package let maximumAttempts: Int
    /// The time after the first attempt during which a push is retried, in seconds.
    package let maximumAge: Int

    /// The minimum time that a push is held, in seconds. It applies if ``delays`` has an entry of at least this length.
    private static let leastHold = 30
    /// The maximum ratio of an unsent push's next hold to its age. After a short outage, pushes thus return soon. During
    /// a long one, they are published again only a few times more than with the longest holds.
    private static let longestHoldPerAge: Int64 = 5

    package static let defaultDelays = [5, 30, 120, 900, 3600]

    package init(
        delays: [Int] = Self.defaultDelays, maximumAttempts: Int = 10, maximumAge: Int = 86_400
    ) {
        self.delays = delays
        self.maximumAttempts = maximumAttempts
        self.maximumAge = maximumAge
    }

    /// Returns the action after a failed attempt.
    ///
    /// - Parameters:
    ///   - attempt: the number of the failed attempt, starting at 1.
    ///   - age: the time since the first attempt, in seconds.
    ///   - wish: the minimum delay that the provider requests, in seconds, or 0 for no minimum.
    ///   - patience: the maximum sum of the delays between attempts, in seconds, or `nil` if the provider sets none.
    ///     The time during which a push was held does not count.
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

    /// The shortest time for which a push is held, in seconds, or `nil` if there are no delay queues.
    private var shortestHold: Int? { holds.first ?? delays.last }

    private var holds: [Int] { delays.filter { $0 >= Self.leastHold } }

    /// Returns the action for a push that must wait, for example because its app is paused, its credential is refused,
    /// or its provider cannot be reached. Holding a push is not an attempt. If possible, the push is held for at most
    /// `wish` seconds, and less while it is young and unsent. It may be held again afterwards.
    ///
    /// - Parameter isUnsent: whether this push was not sent in this attempt. A push that was refused returns later than
    ///   unsent ones, so that one of them is the next probe.
    package func hold(
        age: Int64 = 0, wish: Int32 = 0, isUnsent: Bool = true, expiration: Job.Expiration?, now: Timestamp
    ) -> Decision {
        let longest = isUnsent ? min(Int64(wish), Self.longestHoldPerAge * age) : Int64(wish)
        guard age < maximumAge, let delay = holds.last(where: { $0 <= longest }) ?? shortestHold else {
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
