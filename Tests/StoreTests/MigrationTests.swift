import Foundation
import PostgresClient
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

@Suite struct MigrationFolderTests {
    @Test func embedsEveryMigrationFile() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../migrations").standardized
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".sql") }
        #expect(Migration.all.map(\.fileName) == files)
        for migration in Migration.all {
            let file = try String(contentsOf: folder.appending(path: migration.fileName), encoding: .utf8)
            #expect(migration.sql == file, "\(migration.fileName) differs from the embedded text")
        }
        let numbers = Migration.all.map(\.number)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)")
    }
}

@Suite(.needsDatabase, .endsAHang)
struct MigrationTests {
    private let first = Migration(
        number: 1, name: "first", sql: "CREATE TABLE martlet.a (n int); CREATE TABLE martlet.b (n int)")
    private let second = Migration(number: 2, name: "second", sql: "INSERT INTO martlet.a VALUES (1)")

    private func migrations(_ database: TestDatabase, _ known: [Migration]) -> Migrations {
        Migrations(database.configuration, known: known, logger: database.logger)
    }

    @Test func appliesAllMigrationsOnceAndVerifies() async throws {
        try await TestDatabase.withEmpty { database in
            let migrations = Migrations(database.configuration, logger: database.logger)
            let error = await #expect(throws: StoreError.self) { try await migrations.verify() }
            #expect(error?.code == .migrationsMissing)
            #expect(error?.message.contains("run 'martlet migrate'") == true)
            #expect(try await migrations.plan() == Migration.all)
            #expect(try await migrations.apply() == Migration.all)
            try await migrations.verify()
            #expect(try await migrations.apply() == [])
        }
    }

    /// The printed script, run with psql, has the same effect as `apply`.
    @Test func printsEquivalentScriptForPsql() async throws {
        try await TestDatabase.withEmpty { database in
            let migrations = Migrations(database.configuration, logger: database.logger)
            let script = try await migrations.script()
            let applied = try await Subprocess.run(
                ["/usr/bin/psql", "--no-psqlrc", "--quiet", "--file", "-", database.url], input: script)
            #expect(applied.status == 0 && applied.errors == "", "\(applied)")
            try await migrations.verify()
            #expect(try await migrations.script() == "")
            let last = Migration.all.suffix(2).map(\.fileName)
            try await database.pool.query(
                "DELETE FROM martlet.schema_migrations WHERE number = $1", [.bigint(Int64(Migration.all.count))])
            let rest = try await migrations.script()
            #expect(rest.contains("-- \(last[1])") && !rest.contains("-- \(last[0])"))
            #expect(!rest.contains("CREATE TABLE martlet.schema"))
        }
    }

    @Test func appliesEachMigrationOnceConcurrently() async throws {
        try await TestDatabase.withEmpty { database in
            let applied = try await withThrowingTaskGroup(of: [Migration].self) { group in
                for _ in 0..<6 { group.addTask { try await migrations(database, [first, second]).apply() } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            // Each migration is applied by the task that got its lock.
            #expect(applied.sorted { $0.number < $1.number } == [first, second])
            #expect(try await database.pool.query("SELECT count(*) FROM martlet.a")[0]["count"].integer == 1)
        }
    }

    @Test func appliesNewMigrationOnTop() async throws {
        try await TestDatabase.withEmpty { database in
            try await migrations(database, [first]).apply()
            #expect(try await migrations(database, [first, second]).plan() == [second])
            #expect(try await migrations(database, [first, second]).apply() == [second])
        }
    }

    /// The lock is held by another migration or by a reader of the table. The error names the holder, and the failed
    /// attempt leaves nothing behind.
    @Test(arguments: ["SELECT pg_advisory_xact_lock(30787916668888436)", "LOCK TABLE martlet.a IN ACCESS SHARE MODE"])
    func givesUpOnLockAndNamesHolder(locking: String) async throws {
        try await TestDatabase.withEmpty { database in
            try await migrations(database, [first]).apply()
            let holder = try await PostgresConnection.connect(database.configuration(named: "a psql"))
            try await holder.query("BEGIN")
            try await holder.query(locking)
            var patience = Migrations.LockTimeout()
            (patience.migration, patience.table) = (.seconds(15), .seconds(15))
            let log = LogRecorder()
            let altering = Migration(number: 2, name: "altering", sql: "ALTER TABLE martlet.a ADD COLUMN m int")
            let impatient = Migrations(
                database.configuration, known: [first, altering], patience: patience, logger: log.logger("migrate"))
            let error = await #expect(throws: StoreError.self) { try await impatient.apply() }
            #expect(error?.code == .locked && error?.message.contains("a psql") == true, "\(String(describing: error))")
            #expect(log.text.contains("Waiting for a lock") && log.text.contains("a psql"), "\(log.text)")
            await holder.close()
            #expect(try await impatient.apply() == [altering])
            let locks = try await database.pool.query(
                "SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
            #expect(locks.isEmpty)
        }
    }

    /// Only `apply` may wait without limit. A check that times out reports a retriable error.
    @Test func boundsTimeOfVerifyAndPlan() async throws {
        try await TestDatabase.withMigrated { database in
            let holder = try await PostgresConnection.connect(database.configuration)
            try await holder.query("BEGIN")
            try await holder.query("LOCK TABLE martlet.schema_migrations")
            var hasty = database.configuration
            hasty.queryTimeout = .seconds(8)
            let migrations = Migrations(hasty, logger: database.logger)
            let error = await #expect(throws: PostgresError.self) { try await migrations.verify() }
            #expect(error?.isRetriable == true, "\(String(describing: error))")
            await #expect(throws: PostgresError.self) { try await migrations.plan() }
            await holder.close()
            try await migrations.verify()
        }
    }

    @Test func rollsBackFailedMigration() async throws {
        try await TestDatabase.withEmpty { database in
            let broken = Migration(number: 2, name: "broken", sql: "INSERT INTO martlet.a VALUES (1); SELECT 1 / 0")
            await #expect(throws: PostgresError.self) { try await migrations(database, [first, broken]).apply() }
            let rows = try await database.pool.query("SELECT n FROM martlet.a")
            #expect(rows.isEmpty)
            #expect(try await migrations(database, [first, second]).apply() == [second])
        }
    }

    @Test func rejectsChangedFileAndNewerDatabase() async throws {
        try await TestDatabase.withEmpty { database in
            try await migrations(database, [first, second]).apply()
            let changed = Migration(number: 2, name: "second", sql: second.sql + " ")
            let checksum = await #expect(throws: StoreError.self) {
                try await migrations(database, [first, changed]).apply()
            }
            #expect(checksum?.code == .migrationsDiffer)
            #expect(checksum?.message.contains("0002_second.sql") == true)
            let ahead = await #expect(throws: StoreError.self) {
                try await migrations(database, [first]).verify()
            }
            #expect(ahead?.message.contains("the database has the unknown migration 2") == true)
        }
    }

    @Test func rejectsSkippedMigration() async throws {
        try await TestDatabase.withEmpty { database in
            let third = Migration(number: 3, name: "third", sql: "SELECT 1")
            try await migrations(database, [first, third]).apply()
            let error = await #expect(throws: StoreError.self) {
                try await migrations(database, [first, second, third]).plan()
            }
            #expect(error?.message.contains("0002_second.sql was not applied before migration 3") == true)
        }
    }
}
