import Logging
import PushModel

/// Device tokens that APNs calls bad, by app: counted and told, so that a mix-up of environments is seen. Nothing is held
/// for it. On the pool's event loop.
final class BadTokenBoard {
    private let subject: Refusal.Subject
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let logger: Logger
    /// Those that were pushed to; only registered ones get here.
    private var apps: [String: AppTokens] = [:]

    init(
        of subject: Refusal.Subject, refusals: @escaping @Sendable (Refusal.Event) -> Void, logger: Logger
    ) {
        self.subject = subject
        self.refusals = refusals
        self.logger = logger
    }

    /// Nil for a broadcast.
    func tokens(of job: Job) -> AppTokens? {
        guard !job.isBroadcast else { return nil }
        if let known = apps[job.app] { return known }
        let new = AppTokens(app: job.app)
        apps[job.app] = new
        return new
    }

    /// Once a second, and before the end.
    func tell(now: Moment) {
        for app in apps.values {
            for bad in app.takeUntold(in: subject.environment) { refusals(.badTokens(bad)) }
            switch app.look(now: now) {
            case .began:
                refusals(
                    .began(
                        Refusal(
                            subject: subject(app), reason: AppTokens.Fault.badDeviceToken.rawValue, since: now.wall)))
            case .ended: refusals(.ended(subject(app)))
            case nil: break
            }
            guard app.mayLog(now: now) else { continue }
            logger.warning(
                "Most device tokens of an app are bad: are they of the other environment?",
                metadata: [
                    "app": "\(app.app)", "reason": "\(AppTokens.Fault.badDeviceToken.rawValue)",
                    "bad": "\(app.watch.bad)", "of": "\(BadTokenWatch.window)",
                ])
        }
    }

    /// Nobody will find out any more.
    func forget() {
        for app in apps.values where app.watch.isMixedUp { refusals(.ended(subject(app))) }
    }

    private func subject(_ app: AppTokens) -> Refusal.Subject {
        Refusal.Subject(
            credential: subject.credential, environment: subject.environment, topic: "\(app.app) (device tokens)")
    }
}
