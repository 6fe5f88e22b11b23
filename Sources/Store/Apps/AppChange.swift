import PostgresClient
package import PushModel

/// A change to one setting of an app.
package enum AppChange: Sendable, Hashable {
    /// Sets the account that the app uses with an output.
    case account(String, of: String)
    /// Sets the credential that the app names for an output, or removes it if the id is `nil`. Jobs that name no
    /// credential themselves can then use only this one.
    case credential(Credential.ID?, of: String)
    case defaultEnvironment(PushEnvironment)
    /// Sets the broker users who may publish for the app. An empty set allows every user.
    case allowedPublishers(Set<String>)
    case paused(Bool)
    /// Sets the rate limit, in pushes per second, or removes it if the value is `nil`.
    case rate(Int?)
    case rateIncludesUrgent(Bool)

    /// The column to change in the app's own row and the new value, or `nil` if the change concerns an account.
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

    /// Returns the statement that changes an account of the app, or `nil` if the change concerns the app's own row. The
    /// first parameter of the statement is the app's bundle id.
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
