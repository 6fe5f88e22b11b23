import APNSOutput
package import CredentialStore
package import PushModel

/// Which credential the pushes of an app would get, and why: for one environment and push type.
package struct AppRoute {
    package let environment: PushEnvironment
    package let pushType: String
    package let topic: String
    /// In the order in which routing considers them; then those for topics of the app that do not come into question.
    package let candidates: [RoutingCandidate]
    /// Why there is none; nil: there is one.
    package let problem: String?
    /// What APNs refuses of the one chosen.
    package let refusals: [Refusal]

    /// The first that serves, which is the one routing chooses.
    package var chosen: RoutingCandidate? { candidates.first { $0.obstacle == nil } }

    /// Those that would go before the chosen one if they served.
    package var passedOver: [RoutingCandidate] {
        candidates.filter {
            $0.obstacle != nil && ($0.rank ?? .namedByJob).rawValue <= (chosen?.rank ?? .teamKey).rawValue
        }
    }

    /// For each environment and push type; empty if there is no such app.
    package static func all(of app: App, in snapshot: Snapshot, refusals: [Refusal], at now: Timestamp) -> [AppRoute] {
        PushEnvironment.allCases.flatMap { environment in
            APNSPushType.allCases.compactMap { type in
                AppRoute(app, environment, type, snapshot, refusals, now)
            }
        }
    }

    private init?(
        _ app: App, _ environment: PushEnvironment, _ type: APNSPushType, _ snapshot: Snapshot, _ refusals: [Refusal],
        _ now: Timestamp
    ) {
        let topic = app.bundleID + type.topicSuffix
        let candidates = snapshot.candidates(
            app: app.bundleID, environment: environment, topic: topic, needsToken: type.needsProviderToken, at: now)
        guard let candidates else { return nil }
        self.environment = environment
        self.topic = topic
        pushType = type.rawValue
        self.candidates = candidates.filter { $0.rank != nil || $0.credential.concerns(app) }
        let route = snapshot.route(
            app: app.bundleID, environment: environment, topic: topic, needsToken: type.needsProviderToken, at: now)
        problem = if case .failure(let failure) = route { "\(failure)" } else { nil }
        let chosen = candidates.first { $0.obstacle == nil }?.credential.id
        self.refusals = refusals.filter {
            $0.credential == chosen && $0.environment == environment && ($0.topic == nil || $0.topic == topic)
        }
    }
}

extension CredentialSummary {
    /// A team may have hundreds for the topics of other apps.
    fileprivate func concerns(_ app: App) -> Bool {
        topics.isEmpty || topics.contains { $0 == app.bundleID || $0.hasPrefix(app.bundleID + ".") }
    }
}
