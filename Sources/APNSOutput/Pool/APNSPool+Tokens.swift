import Logging
import PushModel

/// Device tokens that APNs calls bad: counted and told, so that a mix-up of environments is seen. Nothing is held for it.
extension APNSPool {
    func tokens(of job: Job) -> AppTokens? {
        guard !job.isBroadcast else { return nil }
        if let known = apps[job.app] { return known }
        let new = AppTokens(app: job.app)
        apps[job.app] = new
        return new
    }

    /// Once a second, and before the end.
    func tellOfTokens(now: Moment) {
        for app in apps.values {
            for bad in app.takeUntold(in: subject.environment) { refusals(.badTokens(bad)) }
            switch app.look(now: now) {
            case .began: refusals(.began(refusal(of: app, now: now)))
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

    private func refusal(of app: AppTokens, now: Moment) -> APNSRefusal {
        APNSRefusal(subject: subject(app), reason: AppTokens.Fault.badDeviceToken.rawValue, since: now.wall)
    }

    func subject(_ app: AppTokens) -> APNSRefusal.Subject {
        APNSRefusal.Subject(
            credential: subject.credential, environment: subject.environment, topic: "\(app.app) (device tokens)")
    }
}
