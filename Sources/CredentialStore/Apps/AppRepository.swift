public import PostgresClient
import PushModel

/// The operator's side of `martlet.apps`.
public struct AppRepository: Sendable {
    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Adds the app, or replaces what is known of it.
    /// - Throws: ``CredentialStoreError`` with code `invalidField` or `notFound` (its credential), ``PostgresError``.
    public func set(_ app: App) async throws {
        guard !app.bundleID.isEmpty, app.bundleID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CredentialStoreError(
                .invalidField, "bundle id \"\(app.bundleID)\" is empty or has a character that is not visible ASCII")
        }
        guard !app.team.isEmpty else {
            throw CredentialStoreError(.invalidField, "app \(app.bundleID) needs a team id")
        }
        do {
            try await pool.query(
                """
                INSERT INTO martlet.apps (bundle_id, team, default_environment, credential, allowed_publishers, paused)
                VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (bundle_id) DO UPDATE SET
                    team = excluded.team, default_environment = excluded.default_environment,
                    credential = excluded.credential, allowed_publishers = excluded.allowed_publishers,
                    paused = excluded.paused
                """,
                [
                    .text(app.bundleID), .text(app.team), .text(app.defaultEnvironment.rawValue),
                    .text(app.credential), .textArray(app.allowedPublishers.sorted()), .bool(app.isPaused),
                ])
        } catch let error as PostgresError where error.constraint == "apps_credential_fkey" || error.sqlState == "22P02"
        {
            // 22P02: not a UUID
            throw CredentialStoreError(.notFound, "there is no credential \(app.credential ?? "")")
        }
    }

    /// All apps, by bundle id.
    public func list() async throws -> [App] {
        try await pool.query("SELECT \(Self.columns) FROM martlet.apps ORDER BY bundle_id").map(Self.app)
    }

    /// - Throws: ``CredentialStoreError`` with code `notFound`.
    public func show(_ bundleID: String) async throws -> App {
        let rows = try await pool.query(
            "SELECT \(Self.columns) FROM martlet.apps WHERE bundle_id = $1", [.text(bundleID)])
        guard let row = rows.first else { throw Self.unknown(bundleID) }
        return try Self.app(row)
    }

    /// - Throws: ``CredentialStoreError`` with code `notFound`.
    public func remove(_ bundleID: String) async throws {
        let result = try await pool.query("DELETE FROM martlet.apps WHERE bundle_id = $1", [.text(bundleID)])
        guard result.affectedRows == 1 else { throw Self.unknown(bundleID) }
    }

    static let columns =
        "bundle_id, team, default_environment::text, credential, allowed_publishers, paused"

    static func app(_ row: PostgresRow) throws -> App {
        App(
            bundleID: try row["bundle_id"].text, team: try row["team"].text,
            defaultEnvironment: try PushEnvironment(column: row["default_environment"].text),
            credential: try row["credential"].optional?.uuid,
            allowedPublishers: Set(try row["allowed_publishers"].textArray), isPaused: try row["paused"].bool)
    }

    private static func unknown(_ bundleID: String) -> CredentialStoreError {
        CredentialStoreError(.notFound, "there is no app \(bundleID)")
    }
}

extension PushEnvironment {
    init(column text: String) throws {
        guard let environment = PushEnvironment(rawValue: text) else {
            throw CredentialStoreError(
                .invalidField, "the database has an environment \(text), which this version does not know")
        }
        self = environment
    }
}
