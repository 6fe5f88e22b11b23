import PushModel

/// The counts of good and bad device tokens of one app. The object is used only on the pool's event loop. Jobs keep a
/// reference to it, so that no push has to look it up.
package final class AppTokens {
    let app: String
    /// The provider's reason that indicates a mix-up, for example of environments. If it is frequent, a mix-up is
    /// reported.
    private let mixUp: String
    // Exclusivity checks are off, because they would slow down this hot path.
    @exclusivity(unchecked) private(set) var watch = BadTokenDetector()
    /// The numbers of bad tokens that are not reported yet, by the provider's reason.
    private var unreported: [String: Int] = [:]

    init(app: String, mixUp: String) {
        self.app = app
        self.mixUp = mixUp
    }

    /// Records one answer from the provider about a device token.
    ///
    /// - Parameter reason: The provider's reason if it calls the token bad, otherwise `nil`.
    package func answered(bad reason: String?, now: Moment) {
        if let reason { unreported[reason, default: 0] += 1 }
        if reason == mixUp { watch.bad(nowMilliseconds: now.uptime) } else { watch.good() }
    }

    func takeUnreported(in environment: PushEnvironment) -> [BadTokens] {
        guard !unreported.isEmpty else { return [] }
        defer { unreported = [:] }
        return unreported.map {
            BadTokens(app: app, environment: environment, reason: $0.key, count: $0.value)
        }
    }

    func look(now: Moment) -> BadTokenDetector.Change? { watch.look(nowMilliseconds: now.uptime) }

    func mayLog(now: Moment) -> Bool { watch.mayLog(nowMilliseconds: now.uptime) }
}
