import PushModel

/// What a pool hears of the device tokens of one app. Lives on the pool's event loop; jobs keep a reference to their
/// app's, so that no push has to look it up.
package final class AppTokens {
    let app: String
    /// What a mix-up shows itself by.
    private let mixUp: String
    // One owner, one thread: nothing for exclusivity checks to find on the hot path.
    @exclusivity(unchecked) private(set) var watch = BadTokenWatch()
    /// Nobody has been told of these.
    private var untold: [String: Int] = [:]

    init(app: String, mixUp: String) {
        self.app = app
        self.mixUp = mixUp
    }

    /// For every answer.
    ///
    /// - Parameter bad: the provider's reason, where it calls the token bad.
    package func answered(bad reason: String?, now: Moment) {
        if let reason { untold[reason, default: 0] += 1 }
        if reason == mixUp { watch.bad(nowMilliseconds: now.uptime) } else { watch.good() }
    }

    func takeUntold(in environment: PushEnvironment) -> [BadTokens] {
        guard !untold.isEmpty else { return [] }
        defer { untold = [:] }
        return untold.map {
            BadTokens(app: app, environment: environment, reason: $0.key, count: $0.value)
        }
    }

    func look(now: Moment) -> BadTokenWatch.Change? { watch.look(nowMilliseconds: now.uptime) }

    func mayLog(now: Moment) -> Bool { watch.mayLog(nowMilliseconds: now.uptime) }
}
