import PushModel

/// What a pool hears of the device tokens of one app. Lives on the pool's event loop; jobs keep a reference to their
/// app's, so that no push has to look it up.
final class AppTokens {
    /// Apple's, of what may be the token's fault or that of whoever sent it to the wrong place.
    enum Fault: String, CaseIterable {
        case badDeviceToken = "BadDeviceToken"
        case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    }

    let app: String
    private(set) var watch = BadTokenWatch()
    /// Nobody has been told of these.
    private var untold: [Fault: Int] = [:]

    init(app: String) {
        self.app = app
    }

    /// For every answer.
    func answered(_ fault: Fault?, now: Moment) {
        guard let fault else { return watch.good() }
        untold[fault, default: 0] += 1
        if fault == .badDeviceToken { watch.bad(nowMilliseconds: now.uptime) } else { watch.good() }
    }

    func takeUntold(in environment: PushEnvironment) -> [BadTokens] {
        guard !untold.isEmpty else { return [] }
        defer { untold = [:] }
        return untold.map {
            BadTokens(app: app, environment: environment, reason: $0.key.rawValue, count: $0.value)
        }
    }

    func look(now: Moment) -> BadTokenWatch.Change? { watch.look(nowMilliseconds: now.uptime) }

    func mayLog(now: Moment) -> Bool { watch.mayLog(nowMilliseconds: now.uptime) }
}
