import PostgresClient
public import PushModel

/// One column of an app's row.
public enum AppChange: Sendable, Hashable {
    case team(String)
    case defaultEnvironment(PushEnvironment)
    /// nil: none goes before the others.
    case credential(Credential.ID?)
    /// Empty: anybody.
    case allowedPublishers(Set<String>)
    case paused(Bool)

    var column: String {
        switch self {
        case .team: "team"
        case .defaultEnvironment: "default_environment"
        case .credential: "credential"
        case .allowedPublishers: "allowed_publishers"
        case .paused: "paused"
        }
    }

    var value: PostgresValue {
        switch self {
        case .team(let team): .text(team)
        case .defaultEnvironment(let environment): .text(environment.rawValue)
        case .credential(let id): .text(id)
        case .allowedPublishers(let users): .textArray(users.sorted())
        case .paused(let isPaused): .bool(isPaused)
        }
    }
}
