import PostgresClient
public import PushModel

/// One thing about an app that is to be another.
public enum AppChange: Sendable, Hashable {
    /// Whose credentials it has with an output.
    case account(String, of: String)
    /// The one that goes before the others with an output; nil: none does.
    case credential(Credential.ID?, of: String)
    case defaultEnvironment(PushEnvironment)
    /// Empty: anybody.
    case allowedPublishers(Set<String>)
    case paused(Bool)
    /// Pushes a second; nil: as fast as may be.
    case rate(Int?)
    case rateIncludesUrgent(Bool)

    /// Of the app's own row; nil: it is about an account.
    var column: (name: String, value: PostgresValue)? {
        switch self {
        case .account, .credential: nil
        case .defaultEnvironment(let environment): ("default_environment", .text(environment.rawValue))
        case .allowedPublishers(let users): ("allowed_publishers", .textArray(users.sorted()))
        case .paused(let isPaused): ("paused", .bool(isPaused))
        case .rate(let rate): ("rate", rate.map { .int(Int32(clamping: $0)) } ?? .null)
        case .rateIncludesUrgent(let includes): ("rate_includes_urgent", .bool(includes))
        }
    }

    /// What is to be done with an account of the app, whose id is the first parameter.
    func statement(app: String) -> PostgresStatement? {
        switch self {
        case .account(let account, let output):
            PostgresStatement(
                """
                INSERT INTO martlet.app_accounts (app, output, account) VALUES ($1, $2, $3)
                ON CONFLICT (app, output) DO UPDATE SET account = excluded.account
                """, [.text(app), .text(output), .text(account)])
        case .credential(let id, let output):
            PostgresStatement(
                "UPDATE martlet.app_accounts SET credential = $3 WHERE app = $1 AND output = $2",
                [.text(app), .text(output), .text(id)])
        case .defaultEnvironment, .allowedPublishers, .paused, .rate, .rateIncludesUrgent: nil
        }
    }
}
