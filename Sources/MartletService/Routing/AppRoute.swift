package import PushModel
package import Store

/// Which credential the pushes of an app would get with an output, and why: for one environment and push type.
package struct AppRoute {
    package let output: any OutputPlugin
    package let accountName: String
    package let environment: PushEnvironment
    package let pushType: String
    package let topic: String
    /// In the order in which routing considers them; then those for topics of the app that do not come into question.
    package let candidates: [RoutingCandidate]
    /// Why there is none; nil: there is one.
    package let problem: String?
    /// What the provider refuses of the one chosen.
    package let refusals: [Refusal]

    /// The first that serves, which is the one routing chooses.
    package var chosen: RoutingCandidate? { candidates.first { $0.obstacle == nil } }

    /// Those that would go before the chosen one if they served.
    package var passedOver: [RoutingCandidate] {
        candidates.filter {
            $0.obstacle != nil && ($0.rank ?? .namedByJob).rawValue <= (chosen?.rank ?? .accountKey).rawValue
        }
    }

    /// For each output that the app has an account with, and each use of its credentials.
    package static func all(
        of app: App, with outputs: [any OutputPlugin], in snapshot: Snapshot, refusals: [Refusal], at now: Timestamp
    ) -> [AppRoute] {
        outputs.flatMap { output in
            guard let credentials = output.credentials else { return [AppRoute]() }
            return credentials.uses(of: app.bundleID).compactMap { use in
                AppRoute(app, output, credentials.accountName, use, snapshot, refusals, now)
            }
        }
    }

    private init?(
        _ app: App, _ output: any OutputPlugin, _ accountName: String, _ use: CredentialUse, _ snapshot: Snapshot,
        _ refusals: [Refusal], _ now: Timestamp
    ) {
        let accounts = OutputAccounts(name: output.name, accountName: accountName)
        let candidates = snapshot.candidates(
            app: app.bundleID, with: accounts, environment: use.environment, need: use.need, at: now)
        guard let candidates else { return nil }
        self.output = output
        self.accountName = accountName
        environment = use.environment
        topic = use.need.topic
        pushType = use.pushType
        self.candidates = candidates.filter { $0.rank != nil || $0.credential.concerns(app) }
        let route = snapshot.route(
            app: app.bundleID, with: accounts, environment: use.environment, need: use.need, at: now)
        problem = if case .failure(let failure) = route { "\(failure)" } else { nil }
        let chosen = candidates.first { $0.obstacle == nil }?.credential.id
        self.refusals = refusals.filter {
            $0.credential == chosen && $0.environment == use.environment
                && ($0.topic == nil || $0.topic == use.need.topic)
        }
    }
}

extension CredentialSummary {
    /// An account may have hundreds for the topics of other apps.
    fileprivate func concerns(_ app: App) -> Bool {
        topics.isEmpty || topics.contains { $0 == app.bundleID || $0.hasPrefix(app.bundleID + ".") }
    }
}
