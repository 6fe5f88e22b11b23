import Observability
import PushModel
import Store
import Routing

/// An app as `--json` shows it.
struct AppDescription: Encodable, Sendable {
    struct Account: Encodable {
        let output, account: String
        let credential: String?
    }

    let app: String
    let accounts: [Account]
    let environment: String
    /// The id of the credential that takes precedence for the first account, or `nil` if there is none.
    let credential: String?
    let publishers: [String]
    let paused: Bool
    /// The rate limit, in pushes per second, or `nil` if there is none.
    let rate: Int?
    let rateIncludesUrgent: Bool?
    /// The routes of the app, or `nil` if a list of apps is shown.
    let routes: [RouteDescription]?

    private enum CodingKeys: String, CodingKey {
        case app, accounts, environment, credential, publishers, paused, rate
        case rateIncludesUrgent = "rate_includes_urgent"
        case routes
    }

    init(_ row: App, routes: [AppRoute]? = nil) {
        app = row.bundleID
        accounts = row.listed.map {
            Account(output: $0.output, account: $0.account.id, credential: $0.account.credential)
        }
        environment = row.defaultEnvironment.rawValue
        credential = row.listed.first?.account.credential
        publishers = row.allowedPublishers.sorted()
        paused = row.isPaused
        rate = row.pace?.rate
        rateIncludesUrgent = row.pace?.includesUrgent
        self.routes = routes?.map(RouteDescription.init)
    }
}

extension AppRoute {
    /// The reason for the choice of credential, the obstacles to other credentials, and the refusals, as text for
    /// operators.
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
    /// The kind, id and label of the credential. An id alone does not help operators.
    var name: String { "\(kind.rawValue) \(id) (\(label))" }
}
