package import PushModel
import Store
package import Routing

/// The credential that routing chooses for the pushes of an app with one output, environment and push type, and the
/// reasons for the choice.
package struct AppRoute {
    package let output: any OutputPlugin
    package let accountName: String
    package let environment: PushEnvironment
    package let pushType: String
    package let topic: String
    /// The credentials that routing considers, in order of preference. They are followed by unsuitable credentials that
    /// cover a topic of the app.
    package let candidates: [RoutingCandidate]
    /// The reason why routing chooses no credential, or `nil` if it chooses one.
    package let problem: String?
    /// The provider's current refusals of the chosen credential.
    package let refusals: [Refusal]

    /// The first candidate without an obstacle, or `nil` if there is none. Routing chooses this credential unless the
    /// app is paused or its row can't be read.
    package var chosen: RoutingCandidate? { candidates.first { $0.obstacle == nil } }

    /// The candidates that have an obstacle, and whose rank is at least that of the chosen credential. Candidates
    /// without a rank are included.
    package var passedOver: [RoutingCandidate] {
        candidates.filter {
            $0.obstacle != nil && ($0.rank ?? .namedByJob).rawValue <= (chosen?.rank ?? .accountKey).rawValue
        }
    }

    /// Returns the routes of an app. There is one for each environment and push type of each output with which the app
    /// has an account.
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
    /// Whether the credential covers a topic of the app. An account may have hundreds of credentials for topics of
    /// other apps.
    fileprivate func concerns(_ app: App) -> Bool {
        topics.isEmpty || topics.contains { $0 == app.bundleID || $0.hasPrefix(app.bundleID + ".") }
    }
}
