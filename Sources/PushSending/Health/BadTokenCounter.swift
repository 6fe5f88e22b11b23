import Foundations
package import Logging
package import PushModel

/// A counter of the device tokens that a provider calls bad, by app. It reports the counts, and the mix-ups (for
/// example of environments) that the counts reveal. It delays no push. The object is used only on the pool's event
/// loop.
package final class BadTokenCounter {
    private let subject: Refusal.Subject
    /// The provider's reason that indicates a mix-up, and the question to the operator in the log line.
    private let mixUp: (reason: String, question: String)
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let logger: Logger
    /// The counters by app. Their number is limited, because only jobs of registered apps are routed to the pool.
    private var apps: [String: AppTokens] = [:]

    package init(
        of subject: Refusal.Subject, mixUp: (reason: String, question: String),
        refusals: @escaping @Sendable (Refusal.Event) -> Void, logger: Logger
    ) {
        self.subject = subject
        self.mixUp = mixUp
        self.refusals = refusals
        self.logger = logger
    }

    package func tokens(of app: String) -> AppTokens {
        if let known = apps[app] { return known }
        let new = AppTokens(app: app, mixUp: mixUp.reason)
        apps[app] = new
        return new
    }

    /// Reports bad tokens and mix-ups. Called once a second, and before the pool ends.
    package func report(now: Moment) {
        for app in apps.values {
            for bad in app.takeUnreported(in: subject.environment) { refusals(.badTokens(bad)) }
            switch app.look(now: now) {
            case .began:
                refusals(
                    .began(
                        Refusal(subject: subject(app), reason: mixUp.reason, since: now.wall)))
            case .ended: refusals(.ended(subject(app)))
            case nil: break
            }
            guard app.mayLog(now: now) else { continue }
            logger.warning(
                .tokensMostlyBad, "Most device tokens of an app are bad: \(mixUp.question)",
                metadata: [
                    "app": "\(app.app)", "reason": "\(mixUp.reason)",
                    "bad": "\(app.watch.bad)", "of": "\(BadTokenDetector.window)",
                ])
        }
    }

    /// Reports that all reported mix-ups have ended. Called when the pool ends, because no later answer can show
    /// whether they persist.
    package func forget() {
        for app in apps.values where app.watch.isMixedUp { refusals(.ended(subject(app))) }
    }

    private func subject(_ app: AppTokens) -> Refusal.Subject {
        Refusal.Subject(
            credential: subject.credential, environment: subject.environment, topic: "\(app.app) (device tokens)")
    }
}
