public import Logging
public import PostgresClient

/// Brings a database's `martlet` schema up to date.
public struct Migrations: Sendable {
    private let configuration: PostgresConfiguration
    private let known: [Migration]
    private let logger: Logger

    public init(_ configuration: PostgresConfiguration, logger: Logger) {
        self.init(configuration, known: Migration.all, logger: logger)
    }

    package init(_ configuration: PostgresConfiguration, known: [Migration], logger: Logger) {
        // an index on a large table takes as long as it takes
        var configuration = configuration
        configuration.queryTimeout = nil
        self.configuration = configuration
        self.known = known
        self.logger = logger
    }

    /// What `apply` would do.
    /// - Throws: ``CredentialStoreError`` with code `migrationsDiffer`, ``PostgresError``.
    public func plan() async throws -> [Migration] {
        try await withConnection { connection in
            try await MigrationPlan(known: known, applied: applied(connection)).pending
        }
    }

    /// - Throws: ``CredentialStoreError`` with code `migrationsMissing` unless the database is up to date.
    public func verify() async throws {
        let pending = try await plan()
        guard pending.isEmpty else {
            let names = pending.map(\.fileName).joined(separator: ", ")
            throw CredentialStoreError(
                .migrationsMissing, "the database lacks migrations (\(names)): run martlet migrate")
        }
    }

    /// Applies what is pending, each file in a transaction of its own; waits while another program does so.
    /// - Returns: what was applied.
    @discardableResult
    public func apply() async throws -> [Migration] {
        try await withConnection { connection in
            try await lock(connection)
            try await prepare(connection)
            let pending = try await MigrationPlan(known: known, applied: applied(connection)).pending
            for migration in pending {
                try await connection.transaction { connection in
                    try await connection.execute(script: migration.sql)
                    try await connection.query(
                        "INSERT INTO martlet.schema_migrations (number, name, checksum) VALUES ($1, $2, $3)",
                        [.bigint(Int64(migration.number)), .text(migration.name), .bytea(migration.checksum)])
                }
                logger.info("Migration applied", metadata: ["migration": "\(migration.fileName)"])
            }
            try await applyGrants(connection)
            return pending
        }
    }

    /// Roles that could not be made by the migration may have been made by an administrator since.
    private func applyGrants(_ connection: PostgresConnection) async throws {
        let isOurs = try await connection.query(
            "SELECT has_function_privilege(to_regprocedure('martlet.apply_grants()'), 'EXECUTE') AS is_ours")
        guard try isOurs[0]["is_ours"].optional?.bool == true else { return }
        let missing = try await connection.query("SELECT martlet.apply_grants() AS missing")[0]["missing"].textArray
        guard !missing.isEmpty else { return }
        logger.warning(
            "Database roles are missing that this user may not make: let an administrator make them, then migrate again",
            metadata: ["sql": "\(missing.map { "CREATE ROLE \($0) NOLOGIN" }.joined(separator: "; "))"])
    }

    /// The lock ends with the connection.
    private func lock(_ connection: PostgresConnection) async throws {
        let key = PostgresValue.bigint(0x6D_6172_746C_6574)  // "martlet" in ASCII
        if try await connection.query("SELECT pg_try_advisory_lock($1) AS taken", [key])[0]["taken"].bool { return }
        logger.info("Waiting for another migration to end")
        try await connection.query("SELECT pg_advisory_lock($1)", [key])
    }

    private func prepare(_ connection: PostgresConnection) async throws {
        // IF NOT EXISTS alone would demand the right to create schemas from who needs it no more
        if try await hasTable(connection) { return }
        try await connection.batch([
            PostgresStatement("CREATE SCHEMA IF NOT EXISTS martlet"),
            PostgresStatement(
                """
                CREATE TABLE martlet.schema_migrations (
                    number bigint PRIMARY KEY, name text NOT NULL, checksum bytea NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT now())
                """),
        ])
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
        _ body: (PostgresConnection) async throws -> Value
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
