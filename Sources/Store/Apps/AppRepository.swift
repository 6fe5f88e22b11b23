package import PostgresClient
import PushModel
package import Routing

/// The apps, stored in `martlet.apps`. Operators list and change them here.
package struct AppRepository: Sendable {
    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Adds the app, or replaces all its settings.
    /// - Throws: ``StoreError`` with code `invalidField`, or `notFound` if a credential of the app does not exist;
    ///   ``PostgresError``.
    package func set(_ app: App) async throws {
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

    /// Makes the given changes and keeps all other settings, even if another operator is changing them at the same
    /// time. If the changes include an account, a missing app is added.
    /// - Parameter adding: whether a missing app is added even if the changes include no account.
    /// - Returns: the app after the changes.
    /// - Throws: ``StoreError`` with code `invalidField`, or `notFound` if the app, its account or its credential does
    ///   not exist, or `unreadable` if the app's row can't be read; ``PostgresError``.
    package func change(_ bundleID: String, _ changes: [AppChange], adding: Bool = false) async throws -> App {
        let hasAccount = changes.contains { if case .account = $0 { true } else { false } }
        return try await change(bundleID, changes, adding: adding || hasAccount, keeping: nil)
    }

    /// Makes the changes in one transaction and returns the app after them.
    ///
    /// - Parameter outputs: the outputs for which the app keeps its accounts, or `nil` to keep all accounts.
    private func change(
        _ bundleID: String, _ changes: [AppChange], adding: Bool, keeping outputs: [String]?
    ) async throws -> App {
        guard !bundleID.isEmpty, bundleID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw StoreError(
                .invalidField, "bundle id \"\(bundleID)\" is empty or has a character that is not visible ASCII")
        }
        if changes.isEmpty, !adding { return try await show(bundleID) }
        for case .account("", let output) in changes {
            throw StoreError(.invalidField, "app \(bundleID) requires an account for \(output)")
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
            // SQLSTATE 22P02 means that the id of the credential is not a UUID.
            let named = changes.lazy.compactMap { if case .credential(let id, _) = $0 { id } else { nil } }.first
            throw StoreError(.notFound, "there is no credential \(named ?? "")")
        }
    }

    /// Returns the statement that adds or changes the app's own row. It writes the row even if no column changes,
    /// because a change of account also counts as a change to the app.
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

    /// Returns all apps, sorted by bundle id. For rows that can't be read, ``App/unreadable`` has the reason.
    package func list() async throws -> [App] {
        try await pool.query(Self.select() + " ORDER BY bundle_id").map(Self.app)
    }

    /// Returns one app.
    /// - Throws: ``StoreError`` with code `notFound` or `unreadable`.
    package func show(_ bundleID: String) async throws -> App {
        try await Self.show(bundleID, pool.query(Self.select("app.bundle_id = $1"), [.text(bundleID)]))
    }

    /// Returns the apps that have a rate limit, sorted by bundle id. Apps whose rows can't be read are left out.
    ///
    /// - Parameter most: the maximum number of apps.
    /// - Throws: ``PostgresError``.
    package func paced(most: Int) async throws -> [App] {
        let sql = Self.select("app.rate IS NOT NULL") + " ORDER BY app.bundle_id LIMIT \(most)"
        return try await pool.query(sql).map(Self.app).filter { $0.unreadable == nil }
    }

    /// Removes an app.
    /// - Throws: ``StoreError`` with code `notFound`.
    package func remove(_ bundleID: String) async throws {
        let result = try await pool.query("DELETE FROM martlet.apps WHERE bundle_id = $1", [.text(bundleID)])
        guard result.affectedRows == 1 else { throw Self.unknown(bundleID) }
    }

    private static func show(_ bundleID: String, _ rows: PostgresResult) throws -> App {
        guard let row = rows.first else { throw unknown(bundleID) }
        let app = try app(row)
        if let problem = app.unreadable { throw StoreError(problem) }
        return app
    }

    /// Returns the query for apps and their accounts. The columns `outputs`, `accounts` and `credentials` are arrays of
    /// equal length, or null if the app has no accounts.
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

    /// Returns the app of a row. If the row can't be read, the app has only its bundle id and the error, so that the
    /// remaining rows can be used.
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
            pace: try row["rate"].optional.map { AppRateLimit(rate: try $0.integer, includesUrgent: includesUrgent) })
    }

    private static func unknown(_ bundleID: String) -> StoreError {
        StoreError(.notFound, "there is no app \(bundleID)")
    }
}

extension PostgresCell {
    func known<Value: RawRepresentable<String>>() throws -> Value { try Value(known: text, in: self) }
}

extension RawRepresentable<String> {
    /// Creates the value from a database column. Throws an error for an unknown value, which a newer version may have
    /// written.
    init(known text: String, in cell: PostgresCell) throws {
        guard let value = Self(rawValue: text) else {
            throw PostgresError(
                .unexpectedResult, "column \(cell.name) has the value \(text), which this version does not support")
        }
        self = value
    }
}
