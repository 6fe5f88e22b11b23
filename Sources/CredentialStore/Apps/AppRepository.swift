public import PostgresClient
import PushModel

/// The operator's side of `martlet.apps`.
public struct AppRepository: Sendable {
    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Adds the app, or replaces all that is known of it.
    /// - Throws: ``CredentialStoreError`` with code `invalidField` or `notFound` (its credential), ``PostgresError``.
    public func set(_ app: App) async throws {
        _ = try await change(
            app.bundleID,
            [
                .team(app.team), .defaultEnvironment(app.defaultEnvironment), .credential(app.credential),
                .allowedPublishers(app.allowedPublishers), .paused(app.isPaused),
            ])
    }

    /// Changes what is named and nothing else, whoever changes the rest meanwhile. With a team among it, an app that is not
    /// there is added.
    /// - Returns: the app as it is then.
    /// - Throws: ``CredentialStoreError`` with code `invalidField` or `notFound` (the app, its credential),
    ///   ``PostgresError``.
    public func change(_ bundleID: String, _ changes: [AppChange]) async throws -> App {
        guard !bundleID.isEmpty, bundleID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CredentialStoreError(
                .invalidField, "bundle id \"\(bundleID)\" is empty or has a character that is not visible ASCII")
        }
        guard !changes.contains(.team("")) else {
            throw CredentialStoreError(.invalidField, "app \(bundleID) needs a team id")
        }
        if changes.isEmpty { return try await show(bundleID) }
        let columns = changes.map(\.column)
        let values = columns.indices.map { "$\($0 + 2)" }
        let sets = zip(columns, values).map { "\($0) = \($1)" }.joined(separator: ", ")
        let sql =
            columns.contains("team")
            ? """
            INSERT INTO martlet.apps (bundle_id, \(columns.joined(separator: ", ")))
            VALUES ($1, \(values.joined(separator: ", ")))
            ON CONFLICT (bundle_id) DO UPDATE SET \(sets) RETURNING \(Self.columns)
            """ : "UPDATE martlet.apps SET \(sets) WHERE bundle_id = $1 RETURNING \(Self.columns)"
        do {
            let rows = try await pool.query(sql, [.text(bundleID)] + changes.map(\.value))
            guard let row = rows.first else {
                throw CredentialStoreError(.notFound, "there is no app \(bundleID): to add it takes its team")
            }
            return try Self.app(row)
        } catch let error as PostgresError where error.constraint == "apps_credential_fkey" || error.sqlState == "22P02"
        {
            // 22P02: not a UUID
            let named = changes.lazy.compactMap { if case .credential(let id) = $0 { id } else { nil } }.first
            throw CredentialStoreError(.notFound, "there is no credential \(named ?? "")")
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
