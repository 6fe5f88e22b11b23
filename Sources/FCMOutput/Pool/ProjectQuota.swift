import PushModel
import Threading

/// What a project may still send: by its quota, which this worker shares with others, and by FCM's own word. One for all
/// credentials of the project.
final class ProjectQuota: Sendable {
    private struct State {
        var pace: QuotaPace
        /// FCM wants nothing before; milliseconds of ``Uptime``.
        var waitsUntil: Int64 = 0
        var waitsBecause = ""
    }

    /// So long the project is left alone at most, whatever an answer says: then somebody asks again.
    static let longestWaitSeconds: Int32 = 900

    private let name: String
    private let shares: any QuotaShares
    private let state: Mutex<State>

    init(of project: String, perMinute: Int, shares: any QuotaShares) {
        name = "fcm/\(project)"
        self.shares = shares
        state = Mutex(State(pace: QuotaPace(perMinute: perMinute)))
    }

    /// Takes a part of what may go now; what is not used is to be given back.
    func draw(upTo wanted: Int, now: Int64) -> Int {
        let workers = shares.workers(sharing: name)
        return state.withLock { state in
            state.pace.refill(workers: workers, nowMilliseconds: now)
            guard now >= state.waitsUntil else { return 0 }
            return state.pace.draw(upTo: wanted)
        }
    }

    /// Returns how many messages the quota allows within some seconds, or `nil` if that is not known yet.
    func room(within seconds: Double, now: Int64) -> Int? {
        let workers = shares.workers(sharing: name)
        return state.withLock { state in
            state.pace.refill(workers: workers, nowMilliseconds: now)
            return state.pace.room(within: seconds, workers: workers)
        }
    }

    func giveBack(_ count: Int) {
        if count > 0 { state.withLock { $0.pace.giveBack(count) } }
    }

    /// Milliseconds until something may go.
    func wait(now: Int64) -> Int64 {
        let workers = shares.workers(sharing: name)
        return state.withLock { max($0.waitsUntil - now, $0.pace.wait(workers: workers)) }
    }

    /// FCM wants the project to wait.
    ///
    /// - Returns: whether this is news.
    func mustWait(_ seconds: Int32, because reason: String, now: Int64) -> Bool {
        state.withLock { state in
            let isNews = state.waitsUntil <= now
            state.waitsUntil = max(state.waitsUntil, now + Int64(min(seconds, Self.longestWaitSeconds)) * 1_000)
            state.waitsBecause = reason
            return isNews
        }
    }

    /// Why the project waits, and for how many milliseconds; nil: it does not.
    func obstacle(now: Int64) -> (reason: String, milliseconds: Int64)? {
        state.withLock { $0.waitsUntil > now ? ($0.waitsBecause, $0.waitsUntil - now) : nil }
    }
}
