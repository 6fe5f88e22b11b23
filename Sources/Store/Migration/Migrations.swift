import Foundations
package import Logging
package import PostgresClient

/// The migrations that bring a database's `martlet` schema up to date.
package struct Migrations: Sendable {
    private let configuration: PostgresConfiguration
    private let known: [Migration]
    private let patience: LockTimeout
    private let logger: Logger

    /// The maximum times to wait for locks on the database.
    package struct LockTimeout: Sendable {
        /// The time to wait for the lock of another migration.
        package var migration = Duration.seconds(60)
        /// The time to wait for the lock of a table. It is short, because workers that request the table in the
        /// meantime must wait behind the migration.
        package var table = Duration.seconds(10)

        package init() {}
    }

    package init(_ configuration: PostgresConfiguration, logger: Logger) {
        self.init(configuration, known: Migration.all, logger: logger)
    }

    package init(
        _ configuration: PostgresConfiguration, known: [Migration], patience: LockTimeout = LockTimeout(),
        logger: Logger
    ) {
        self.configuration = configuration
        self.known = known
        self.patience = patience
        self.logger = logger
    }

    /// Returns the migrations that ``apply()`` would apply.
    /// - Throws: ``StoreError`` with code `migrationsDiffer`, ``PostgresError``.
    package func plan() async throws -> [Migration] {
        try await withConnection(configuration) { connection in
            try await MigrationPlan(known: known, applied: applied(connection)).pending
        }
    }

    /// Returns the pending migrations as a script for `psql`, for an administrator to apply. The script is empty if
    /// nothing is pending.
    /// - Throws: ``StoreError`` with code `migrationsDiffer`, ``PostgresError``.
    package func script() async throws -> String {
        try await withConnection(configuration) { connection in
            MigrationScript.text(
                of: try await MigrationPlan(known: known, applied: applied(connection)).pending,
                isFirst: try await !hasTable(connection))
        }
    }

    /// Verifies that the database is up to date.
    /// - Throws: ``StoreError`` with code `migrationsMissing` or `migrationsDiffer`, ``PostgresError``.
    package func verify() async throws {
        let pending = try await plan()
        guard let first = pending.first else { return }
        throw StoreError(
            .migrationsMissing,
            "the database lacks the migrations from \(first.fileName) on (\(pending.count)): run 'martlet migrate'")
    }

    /// Applies the pending migrations, each in its own transaction. Waits for up to a minute while another program
    /// migrates.
    /// - Returns: the applied migrations.
    /// - Throws: ``StoreError`` with code `migrationsDiffer`, or with code `locked` and the holder of the lock;
    ///   ``PostgresError``.
    @discardableResult
    package func apply() async throws -> [Migration] {
        // Building an index on a large table may take arbitrarily long.
        var unlimited = configuration
        unlimited.queryTimeout = nil
        return try await withConnection(unlimited) { connection in
            var applied: [Migration] = []
            while let migration = try await applyNext(connection) {
                applied.append(migration)
                logger.info(.migrationApplied, "Migration applied", metadata: ["migration": "\(migration.fileName)"])
            }
            return applied
        }
    }

    /// Applies the next pending migration and returns it, or returns `nil` if none is pending. The lock belongs to the
    /// transaction, so that it is released even if a pooler keeps the session.
    private func applyNext(_ connection: PostgresConnection) async throws -> Migration? {
        try await connection.transaction { connection in
            let processID = try await connection.query("SELECT pg_backend_pid() AS pid")[0]["pid"].integer
            let watch = LockMonitor(
                configuration, of: processID, interval: min(.seconds(1), patience.table / 4), logger: logger)
            let watching = Task { await watch.run() }
            defer { watching.cancel() }
            do {
                // Building an index on a large table may take arbitrarily long.
                try await connection.query("SET LOCAL statement_timeout = 0")
                try await limitLocks(to: patience.migration, connection)
                try await connection.query("SELECT pg_advisory_xact_lock($1)", [Self.lockKey])
                try await limitLocks(to: patience.table, connection)
                return try await applyNextLocked(connection)
            } catch let error as PostgresError where error.sqlState == Self.lockNotAvailable {
                throw StoreError(
                    .locked,
                    "could not acquire a lock in time; it is held by \(watch.holders ?? "an unknown session")")
            }
        }
    }

    private static let lockNotAvailable = "55P03"
    /// The key of the advisory lock, which consists of the bytes of "martlet" in ASCII.
    private static let lockKey = PostgresValue.bigint(0x6D_6172_746C_6574)

    private func limitLocks(to duration: Duration, _ connection: PostgresConnection) async throws {
        try await connection.query("SET LOCAL lock_timeout = \(Int(duration / .milliseconds(1)))")
    }

    private func applyNextLocked(_ connection: PostgresConnection) async throws -> Migration? {
        try await prepare(connection)
        guard let next = try await MigrationPlan(known: known, applied: applied(connection)).pending.first else {
            try await applyGrants(connection)
            return nil
        }
        try await connection.execute(script: next.sql)
        try await connection.query(
            "INSERT INTO martlet.schema_migrations (number, name, checksum) VALUES ($1, $2, $3)",
            [.bigint(Int64(next.number)), .text(next.name), .bytea(next.checksum)])
        return next
    }

    /// Grants privileges to the database roles. Each run grants them again, because an administrator may have created
    /// roles that were missing before.
    private func applyGrants(_ connection: PostgresConnection) async throws {
        let isOurs = try await connection.query(
            "SELECT has_function_privilege(to_regprocedure('martlet.apply_grants()'), 'EXECUTE') AS is_ours")
        guard try isOurs[0]["is_ours"].optional?.bool == true else { return }
        let missing = try await connection.query("SELECT martlet.apply_grants() AS missing")[0]["missing"].textArray
        guard !missing.isEmpty else { return }
        logger.warning(
            .rolesMissing,
            "Database roles are missing; have an administrator create them, then migrate again",
            metadata: ["sql": "\(missing.map { "CREATE ROLE \($0) NOLOGIN" }.joined(separator: "; "))"])
    }

    private func prepare(_ connection: PostgresConnection) async throws {
        // IF NOT EXISTS alone would require the right to create schemas, even after the schema was created.
        if try await hasTable(connection) { return }
        try await connection.batch(MigrationScript.preparation.map { PostgresStatement($0) })
    }

    private func hasTable(_ connection: PostgresConnection) async throws -> Bool {
        try await connection.query("SELECT to_regclass('martlet.schema_migrations') IS NOT NULL AS found")[0]["found"]
            .bool
    }

    private func applied(_ connection: PostgresConnection) async throws -> [MigrationPlan.Applied] {
        guard try await hasTable(connection) else { return [] }
        return try await connection.query(
            "SELECT number, name, checksum FROM martlet.schema_migrations ORDER BY number"
        )
        .map { row in
            try MigrationPlan.Applied(
                number: row["number"].integer, name: row["name"].text, checksum: row["checksum"].bytes)
        }
    }

    private func withConnection<Value: Sendable>(
        _ configuration: PostgresConfiguration, _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await PostgresConnection.connect(configuration)
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }
}
