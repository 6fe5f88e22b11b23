public import PostgresClient
import PushModel

/// The operator's side of `martlet.apps`.
public struct AppRepository: Sendable {
    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Adds the app, or replaces all that is known of it.
    /// - Throws: ``StoreError`` with code `invalidField` or `notFound` (its credential), ``PostgresError``.
    public func set(_ app: App) async throws {
        let accounts = app.accounts.sorted { $0.key < $1.key }
        _ = try await change(
            app.bundleID,
            [
                .defaultEnvironment(app.defaultEnvironment), .allowedPublishers(app.allowedPublishers),
                .paused(app.isPaused), .rate(app.pace?.rate), .rateIncludesUrgent(app.pace?.includesUrgent ?? false),
            ] + accounts.map { .account($0.value.id, of: $0.key) }
                + accounts.map { .credential($0.value.credential, of: $0.key) },
            adding: true, keeping: app.accounts.keys.sorted())
    }

    /// Changes what is named and nothing else, whoever changes the rest meanwhile. With an account among it, an app
    /// that is not there is added.
    /// - Parameter adding: it is added without one, too.
    /// - Returns: the app as it is then.
    /// - Throws: ``StoreError`` with code `invalidField` or `notFound` (the app, its account, its
    ///   credential), ``PostgresError``.
    public func change(_ bundleID: String, _ changes: [AppChange], adding: Bool = false) async throws -> App {
        let hasAccount = changes.contains { if case .account = $0 { true } else { false } }
        return try await change(bundleID, changes, adding: adding || hasAccount, keeping: nil)
    }

    /// - Parameter outputs: the app has no more accounts than these; nil: it keeps what it has.
    private func change(
        _ bundleID: String, _ changes: [AppChange], adding: Bool, keeping outputs: [String]?
    ) async throws -> App {
        guard !bundleID.isEmpty, bundleID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw StoreError(
                .invalidField, "bundle id \"\(bundleID)\" is empty or has a character that is not visible ASCII")
        }
        if changes.isEmpty, !adding { return try await show(bundleID) }
        for case .account("", let output) in changes {
            throw StoreError(.invalidField, "app \(bundleID) needs an account for \(output)")
        }
        do {
            return try await pool.transaction { connection in
                let row = Self.row(bundleID, changes.compactMap(\.column), adding: adding)
                guard try await connection.query(row.sql, row.parameters).affectedRows == 1 else {
                    throw Self.unknown(bundleID)
                }
                if let outputs {
                    try await connection.query(
                        "DELETE FROM martlet.app_accounts WHERE app = $1 AND output <> ALL ($2)",
                        [.text(bundleID), .textArray(outputs)])
                }
                for change in changes {
                    guard let statement = change.statement(app: bundleID) else { continue }
                    let result = try await connection.query(statement.sql, statement.parameters)
                    if case .credential(_?, let output) = change, result.affectedRows == 0 {
                        throw StoreError(.notFound, "app \(bundleID) has no account for \(output)")
                    }
                }
                return try await Self.show(
                    bundleID, connection.query(Self.select("app.bundle_id = $1"), [.text(bundleID)]))
            }
        } catch let error as PostgresError
            where error.constraint == "app_accounts_credential_fkey" || error.sqlState == "22P02"
        {
            // 22P02: not a UUID
            let named = changes.lazy.compactMap { if case .credential(let id, _) = $0 { id } else { nil } }.first
            throw StoreError(.notFound, "there is no credential \(named ?? "")")
        }
    }

    /// Adds or changes the app's own row, which then is there. A change of its accounts changes the app, too.
    private static func row(
        _ bundleID: String, _ columns: [(name: String, value: PostgresValue)], adding: Bool
    ) -> PostgresStatement {
        let names = columns.map(\.name)
        let values = columns.indices.map { "$\($0 + 2)" }
        let sets =
            names.isEmpty
            ? "bundle_id = $1" : zip(names, values).map { "\($0) = \($1)" }.joined(separator: ", ")
        let parameters = [.text(bundleID)] + columns.map(\.value)
        if adding {
            return PostgresStatement(
                """
                INSERT INTO martlet.apps (\((["bundle_id"] + names).joined(separator: ", ")))
                VALUES (\((["$1"] + values).joined(separator: ", ")))
                ON CONFLICT (bundle_id) DO UPDATE SET \(sets)
                """, parameters)
        }
        return PostgresStatement("UPDATE martlet.apps SET \(sets) WHERE bundle_id = $1", parameters)
    }

    /// All apps, by bundle id; those that can't be read say so.
    public func list() async throws -> [App] {
        try await pool.query(Self.select() + " ORDER BY bundle_id").map(Self.app)
    }

    /// - Throws: ``StoreError`` with code `notFound` or `unreadable`.
    public func show(_ bundleID: String) async throws -> App {
        try await Self.show(bundleID, pool.query(Self.select("app.bundle_id = $1"), [.text(bundleID)]))
    }

    /// Those that have a rate, by name.
    /// - Throws: ``PostgresError``.
    public func paced(most: Int) async throws -> [App] {
        let sql = Self.select("app.rate IS NOT NULL") + " ORDER BY app.bundle_id LIMIT \(most)"
        return try await pool.query(sql).map(Self.app).filter { $0.unreadable == nil }
    }

    /// - Throws: ``StoreError`` with code `notFound`.
    public func remove(_ bundleID: String) async throws {
        let result = try await pool.query("DELETE FROM martlet.apps WHERE bundle_id = $1", [.text(bundleID)])
        guard result.affectedRows == 1 else { throw Self.unknown(bundleID) }
    }

    private static func show(_ bundleID: String, _ rows: PostgresResult) throws -> App {
        guard let row = rows.first else { throw unknown(bundleID) }
        let app = try app(row)
        if let problem = app.unreadable { throw problem }
        return app
    }

    /// Apps with their accounts, which are lists of equal length.
    static func select(_ condition: String = "true") -> String {
        """
        SELECT bundle_id, default_environment::text, allowed_publishers, paused, rate, rate_includes_urgent, outputs, accounts,
            credentials
        FROM martlet.apps AS app LEFT JOIN LATERAL (
            SELECT array_agg(output) AS outputs, array_agg(account) AS accounts,
                array_agg(coalesce(credential::text, '')) AS credentials
            FROM martlet.app_accounts AS own WHERE own.app = app.bundle_id) AS of_app ON true
        WHERE \(condition)
        """
    }

    /// One that can't be read takes no other one along.
    static func app(_ row: PostgresRow) throws -> App {
        do { return try whole(row) } catch {
            var app = App(bundleID: try row["bundle_id"].text)
            app.unreadable = .unreadable("martlet.apps", app.bundleID, error)
            return app
        }
    }

    private static func whole(_ row: PostgresRow) throws -> App {
        let outputs = try row["outputs"].optional?.textArray ?? []
        let ids = try row["accounts"].optional?.textArray ?? []
        let credentials = try row["credentials"].optional?.textArray ?? []
        var accounts: [String: AppAccount] = [:]
        for (output, account) in zip(outputs, zip(ids, credentials)) {
            accounts[output] = AppAccount(account.0, credential: account.1.isEmpty ? nil : account.1)
        }
        let includesUrgent = try row["rate_includes_urgent"].bool
        return App(
            bundleID: try row["bundle_id"].text, accounts: accounts,
            defaultEnvironment: try row["default_environment"].known(),
            allowedPublishers: Set(try row["allowed_publishers"].textArray), isPaused: try row["paused"].bool,
            pace: try row["rate"].optional.map { AppPace(rate: try $0.integer, includesUrgent: includesUrgent) })
    }

    private static func unknown(_ bundleID: String) -> StoreError {
        StoreError(.notFound, "there is no app \(bundleID)")
    }
}

extension PostgresCell {
    func known<Value: RawRepresentable<String>>() throws -> Value { try Value(known: text, in: self) }
}

extension RawRepresentable<String> {
    /// A newer version may know more of them.
    init(known text: String, in cell: PostgresCell) throws {
        guard let value = Self(rawValue: text) else {
            throw PostgresError(
                .unexpectedResult, "column \(cell.name) has \(text), which this version does not know")
        }
        self = value
    }
}
