import PushModel
import Foundations

/// The limit on what a project may send: this worker's share of the project's quota, and the pauses that FCM asks for.
/// All credentials of the project use the same object.
final class ProjectQuota: Sendable {
    private struct State {
        var limiter: QuotaRateLimiter
        /// The time before which FCM accepts no messages, in milliseconds of `Uptime`.
        var waitsUntil: Int64 = 0
        var waitsBecause = ""
    }

    /// The maximum wait of a project in seconds, even if an answer asks for more. After the wait, the next answers show
    /// whether FCM accepts messages again.
    static let longestWaitSeconds: Int32 = 900

    private let name: String
    private let shares: any QuotaShares
    private let state: Mutex<State>

    init(of project: String, perMinute: Int, shares: any QuotaShares) {
        name = "fcm/\(project)"
        self.shares = shares
        state = Mutex(State(limiter: QuotaRateLimiter(perMinute: perMinute)))
    }

    /// Draws messages from the quota and returns their number, at most `wanted`. The caller must call ``refund(_:)``
    /// for the messages that it does not send.
    func draw(upTo wanted: Int, now: Int64) -> Int {
        let workers = shares.workers(sharing: name)
        return state.withLock { state in
            state.limiter.refill(workers: workers, nowMilliseconds: now)
            guard now >= state.waitsUntil else { return 0 }
            return state.limiter.draw(upTo: wanted)
        }
    }

    /// Returns the number of messages that the quota allows within some seconds, or `nil` if the number of workers has
    /// been unknown for less than ``QuotaRateLimiter/learningMilliseconds``.
    func room(within seconds: Double, now: Int64) -> Int? {
        let workers = shares.workers(sharing: name)
        return state.withLock { state in
            state.limiter.refill(workers: workers, nowMilliseconds: now)
            return state.limiter.room(within: seconds, workers: workers)
        }
    }

    func refund(_ count: Int) {
        if count > 0 { state.withLock { $0.limiter.refund(count) } }
    }

    /// Returns the time until a message may be sent, in milliseconds.
    func wait(now: Int64) -> Int64 {
        let workers = shares.workers(sharing: name)
        return state.withLock { max($0.waitsUntil - now, $0.limiter.wait(workers: workers)) }
    }

    /// Records that FCM asks the project to wait.
    ///
    /// - Returns: whether the project was not waiting before.
    func mustWait(_ seconds: Int32, because reason: String, now: Int64) -> Bool {
        state.withLock { state in
            let isNews = state.waitsUntil <= now
            let until = now + Int64(min(seconds, Self.longestWaitSeconds)) * 1_000
            if until > state.waitsUntil { (state.waitsUntil, state.waitsBecause) = (until, reason) }
            return isNews
        }
    }

    /// Returns the reason why the project waits and the remaining time in milliseconds, or `nil` if it does not wait.
    func obstacle(now: Int64) -> (reason: String, milliseconds: Int64)? {
        state.withLock { $0.waitsUntil > now ? ($0.waitsBecause, $0.waitsUntil - now) : nil }
    }
}
