import CredentialStore
import MartletService
import PushModel

/// An app as `--json` shows it.
struct AppDescription: Encodable, Sendable {
    struct Account: Encodable {
        let output, account: String
        let credential: String?
    }

    let app: String
    let accounts: [Account]
    let environment: String
    /// Of the first account.
    let credential: String?
    let publishers: [String]
    let paused: Bool
    /// Only where one app is shown.
    let routes: [RouteDescription]?

    init(_ row: App, routes: [AppRoute]? = nil) {
        app = row.bundleID
        accounts = row.listed.map {
            Account(output: $0.output, account: $0.account.id, credential: $0.account.credential)
        }
        environment = row.defaultEnvironment.rawValue
        credential = row.listed.first?.account.credential
        publishers = row.allowedPublishers.sorted()
        paused = row.isPaused
        self.routes = routes?.map(RouteDescription.init)
    }
}

/// Which credential one push type would get in one environment.
struct RouteDescription: Encodable, Sendable {
    struct Candidate: Encodable {
        let credential, label, kind: String
        /// On what ground it is considered; none: it does not come into question.
        let rank: String?
        /// Why it does not serve.
        let obstacle: String?
    }

    let output, environment, pushType, topic: String
    let credential: String?
    let problem: String?
    let refused: [String]
    let considered: [Candidate]

    init(_ route: AppRoute) {
        output = route.output.name
        environment = route.environment.rawValue
        pushType = route.pushType
        topic = route.topic
        credential = route.chosen?.credential.id
        problem = route.problem
        refused = route.refusals.map(\.reason)
        considered = route.candidates.map {
            Candidate(
                credential: $0.credential.id, label: $0.credential.label, kind: $0.credential.kind.rawValue,
                rank: $0.rank.map { $0.name(route.accountName) },
                obstacle: $0.obstacle?.text(accountName: route.accountName))
        }
    }
}

extension AppRoute {
    /// For people.
    var explanation: String {
        var parts: [String] = []
        if let chosen {
            parts.append(chosen.rank?.text(accountName) ?? "")
        } else if let problem {
            parts.append(problem)
        }
        parts += passedOver.compactMap { candidate in
            candidate.obstacle.map { "\(candidate.credential.name) \($0.text(accountName: accountName))" }
        }.filter { problem?.contains($0) != true }
        parts += refusals.map { "\(output.title) refuses it since \($0.since.rfc3339) (\($0.reason)): its jobs wait" }
        return parts.joined(separator: "; ")
    }
}

extension CredentialSummary {
    /// For people: an id alone says little.
    var name: String { "\(kind.rawValue) \(id) (\(label))" }
}

extension RoutingRank {
    /// `teamKey`, where an account is a team.
    fileprivate func name(_ accountName: String) -> String { self == .accountKey ? accountName + "Key" : "\(self)" }

    fileprivate func text(_ accountName: String) -> String {
        switch self {
        case .namedByJob: "named by the job"
        case .namedByApp: "named by the app"
        case .certificate: "certificate for the topic"
        case .topicKey: "key for the topic"
        case .appKey: "key for the app"
        case .accountKey: "key of the \(accountName)"
        }
    }
}
