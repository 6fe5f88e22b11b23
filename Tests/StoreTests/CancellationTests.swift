import PostgresClient
import Store
import TestSupport
import TestTraits
import Testing
import Foundations
import WorkerTestSupport

@Suite struct CancelledJobsTests {
    @Test func appliesFeedEvents() {
        var jobs = CancelledJobs()
        #expect(!jobs.contains("order-1"))
        jobs.apply(.changed([.init(job: "order-1", isCancelled: true), .init(job: "ordér-2", isCancelled: true)]))
        #expect(jobs.contains("order-1") && jobs.contains("ordér-2") && !jobs.contains("order-2"))
        jobs.apply(.changed([.init(job: "order-1", isCancelled: false)]))
        #expect(!jobs.contains("order-1") && jobs.count == 1)
        jobs.apply(.loaded(CancelledJobs(["order-3"])))
        #expect(jobs.contains("order-3") && !jobs.contains("ordér-2"))
    }
}

@Suite(.needsDatabase, .endsAHang)
struct CancellationTests {
    /// A poll interval so long that only a notification can trigger a read.
    private static let never: Duration = .seconds(3600)

    /// The cancelled jobs as a worker sees them, and the events that it received.
    private final class Follower: Sendable {
        private let state = Mutex((jobs: CancelledJobs(), changes: [CancellationFeed.Change](), loads: 0))

        func tell(_ event: CancellationFeed.Event) {
            state.withLock { state in
                state.jobs.apply(event)
                switch event {
                case .loaded: state.loads += 1
                case .changed(let changes): state.changes += changes
                }
            }
        }

        func knows(_ job: String) -> Bool { state.withLock { $0.jobs.contains(job) } }
        var count: Int { state.withLock { $0.jobs.count } }
        var changes: [CancellationFeed.Change] { state.withLock { $0.changes } }
        /// The number of complete reloads since the start.
        var loads: Int { state.withLock { $0.loads - 1 } }
    }

    private func withFollower(
        _ database: TestDatabase, pollInterval: Duration, _ body: (Follower) async throws -> Void
    ) async throws {
        let changes = ChangeListener(database.configuration, logger: database.logger)
        let feed = try await CancellationFeed.load(
            from: database.pool, changes: changes, pollInterval: pollInterval, logger: database.logger)
        let follower = Follower()
        follower.tell(.loaded(feed.initial))
        let running = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await changes.run() }
                group.addTask { await feed.run { follower.tell($0) } }
            }
        }
        try await body(follower)
        running.cancel()
        await running.value
    }

    @Test func reportsCancelAndRestoreByNotification() async throws {
        try await TestDatabase.withMigrated { database in
            let cancellations = CancellationRepository(database.pool)
            #expect(try await cancellations.cancel("before"))
            try await withFollower(database, pollInterval: Self.never) { follower in
                #expect(follower.knows("before"))
                try await eventually("the feed listens") {
                    try await database.pool.query(
                        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
                    ).count == 1
                }
                #expect(try await cancellations.cancel("order-1"))
                #expect(try await !cancellations.cancel("order-1"))
                try await eventually("order-1 is cancelled") { follower.knows("order-1") }
                #expect(try await cancellations.restore("order-1"))
                #expect(try await cancellations.restore("before"))
                try await eventually("both are restored") { !follower.knows("order-1") && !follower.knows("before") }
                #expect(
                    follower.changes.map(\.isCancelled) == [true, false, true, false, false],
                    "the second cancellation of order-1 replaces the first one")
                #expect(follower.loads == 0)
            }
        }
    }

    @Test func pollsForChangesIfNotificationsAreLost() async throws {
        try await TestDatabase.withMigrated { database in
            try await database.pool.query("ALTER TABLE martlet.cancelled_jobs DISABLE TRIGGER announce")
            try await withFollower(database, pollInterval: .milliseconds(20)) { follower in
                #expect(try await CancellationRepository(database.pool).cancel("order-1"))
                try await eventually("order-1 is cancelled") { follower.knows("order-1") }
                try await database.pool.query("UPDATE martlet.cancelled_jobs SET job = 'order-2'")
                try await eventually("the update arrives") { follower.knows("order-2") && !follower.knows("order-1") }
                try await database.pool.query("TRUNCATE martlet.cancelled_jobs")
                try await eventually("no job is cancelled") { follower.count == 0 }
            }
        }
    }

    /// Versions are committed in order, so a later change waits for an earlier one.
    @Test func reportsChangeCommittedLate() async throws {
        try await TestDatabase.withMigrated { database in
            try await withFollower(database, pollInterval: .milliseconds(20)) { follower in
                let slow = try await PostgresConnection.connect(database.configuration)
                try await slow.query("BEGIN")
                try await slow.query("INSERT INTO martlet.cancelled_jobs (job) VALUES ('slow')")
                let quick = Task { try await CancellationRepository(database.pool).cancel("quick") }
                try await eventually("the second cancellation waits for the first one") {
                    try await database.pool.query(
                        "SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()"
                    ).count > 0
                }
                #expect(!follower.knows("slow") && !follower.knows("quick"))
                try await slow.query("COMMIT")
                #expect(try await quick.value)
                try await eventually("both jobs are cancelled") { follower.knows("slow") && follower.knows("quick") }
                await slow.close()
            }
        }
    }

    /// A poll must not read the table of cancelled jobs, which can be large. The test locks that table, and the change
    /// must still arrive.
    @Test func pollsWithoutReadingCancelledJobsTable() async throws {
        try await TestDatabase.withMigrated { database in
            try await withFollower(database, pollInterval: .milliseconds(20)) { follower in
                let locking = try await PostgresConnection.connect(database.configuration)
                try await locking.query("BEGIN")
                try await locking.query("LOCK TABLE martlet.cancelled_jobs")
                try await database.pool.batch([
                    PostgresStatement("UPDATE martlet.cancellation_state SET version = version + 1"),
                    PostgresStatement(
                        "INSERT INTO martlet.cancellation_changes (version, job, is_cancelled) SELECT version, 'order-1', true FROM martlet.cancellation_state"
                    ),
                ])
                try await eventually("order-1 is cancelled") { follower.knows("order-1") }
                await locking.close()
            }
        }
    }

    @Test func reloadsAllIfChangesCannotBeFollowed() async throws {
        try await TestDatabase.withMigrated { database in
            try await withFollower(database, pollInterval: .milliseconds(20)) { follower in
                try await database.pool.query(
                    "INSERT INTO martlet.cancelled_jobs (job) SELECT 'many-' || n FROM generate_series(1, 25000) AS n",
                    timeout: .seconds(120))
                try await eventually("reload after many changes") { follower.count == 25_000 && follower.loads == 1 }
                // Simulates a restored backup that is older than the state that the worker has read.
                let restored = [
                    PostgresStatement("ALTER TABLE martlet.cancelled_jobs DISABLE TRIGGER USER"),
                    PostgresStatement("DELETE FROM martlet.cancelled_jobs WHERE job <> 'many-7'"),
                    PostgresStatement("UPDATE martlet.cancellation_state SET version = 0"),
                    PostgresStatement("DELETE FROM martlet.cancellation_changes"),
                    PostgresStatement("ALTER TABLE martlet.cancelled_jobs ENABLE TRIGGER USER"),
                ]
                _ = try await database.pool.withConnection { try await $0.batch(restored, timeout: .seconds(120)) }
                try await eventually("reload after a restore") { follower.count == 1 && follower.knows("many-7") }
                #expect(follower.loads == 2)
                // Simulates changes that are deleted before the worker reads them.
                try await database.pool.batch([
                    PostgresStatement("INSERT INTO martlet.cancelled_jobs (job) VALUES ('unread')"),
                    PostgresStatement("UPDATE martlet.cancellation_changes SET changed_at = now() - interval '2 days'"),
                    PostgresStatement("SELECT martlet.forget_cancellations()"),
                ])
                try await eventually("reload after unread changes were deleted") { follower.knows("unread") }
                #expect(follower.loads == 3)
            }
        }
    }

    @Test func deletesExpiredCancellationsWithoutAuditEntry() async throws {
        try await TestDatabase.withMigrated { database in
            let cancellations = CancellationRepository(database.pool)
            for job in ["old", "new"] { #expect(try await cancellations.cancel(job)) }
            try await database.pool.query(
                "UPDATE martlet.cancelled_jobs SET expires_at = now() - interval '1 second' WHERE job = 'old'")
            try await withFollower(database, pollInterval: .milliseconds(20)) { follower in
                #expect(!follower.knows("old") && follower.knows("new"))
                try await cancellations.forgetExpired()
                #expect(try await database.pool.query("SELECT job FROM martlet.cancelled_jobs").count == 1)
                #expect(try await cancellations.cancel("newer"))
                try await eventually("the next change arrives") { follower.knows("newer") }
                #expect(
                    follower.changes
                        == [.init(job: "old", isCancelled: false), .init(job: "newer", isCancelled: true)])
            }
            let operations = try await AuditRepository(database.pool).list(limit: 10).map(\.operation)
            #expect(operations == ["insert", "update", "insert", "insert"])
        }
    }

    @Test func extendsCancellationWhenCancelledAgain() async throws {
        try await TestDatabase.withMigrated { database in
            try await database.withLogin(in: "martlet_operator") { login, role in
                let cancellations = CancellationRepository(login)
                #expect(try await cancellations.cancel("order-1"))
                try await database.pool.query(
                    "UPDATE martlet.cancelled_jobs SET expires_at = now() + interval '1 day', cancelled_by = 'before'")
                try await withFollower(database, pollInterval: .milliseconds(20)) { follower in
                    #expect(try await !cancellations.cancel("order-1"), "a cancellation was in force")
                    try await eventually("the extension arrives") { follower.changes.last?.isCancelled == true }
                    #expect(follower.knows("order-1") && follower.loads == 0)
                }
                let row = try await database.pool.query(
                    "SELECT expires_at > now() + interval '99 days' AS renewed, cancelled_by FROM martlet.cancelled_jobs"
                )[0]
                #expect(try row["renewed"].bool)
                #expect(try row["cancelled_by"].text == "before", "the first role must be kept")
                let entry = try #require(try await AuditRepository(login).list(limit: 1).first)
                #expect(entry.role == role && entry.operation == "update" && entry.object == "order-1")
            }
        }
    }

    /// A worker that started after the cancellation expired has not loaded it. If the job is cancelled again, the
    /// worker must be notified.
    @Test func replacesExpiredCancellation() async throws {
        try await TestDatabase.withMigrated { database in
            let expire =
                "UPDATE martlet.cancelled_jobs SET expires_at = now() - interval '1 second', cancelled_by = 'before'"
            try await database.withLogin(in: "martlet_operator") { login, role in
                let cancellations = CancellationRepository(login)
                #expect(try await cancellations.cancel("order-1"))
                try await database.pool.query(expire)
                try await withFollower(database, pollInterval: .milliseconds(20)) { follower in
                    #expect(!follower.knows("order-1"))
                    #expect(try await cancellations.cancel("order-1"), "no cancellation was in force")
                    try await eventually("order-1 is cancelled") { follower.knows("order-1") }
                    #expect(follower.changes == [false, true].map { .init(job: "order-1", isCancelled: $0) })
                }
                let rows = try await database.pool.query("SELECT cancelled_by FROM martlet.cancelled_jobs")
                #expect(try rows.map { try $0["cancelled_by"].text } == [role])
                let entry = try #require(try await AuditRepository(login).list(limit: 1).first)
                #expect(entry.role == role && entry.operation == "insert" && entry.object == "order-1")

                // A worker that still has the expired cancellation is notified as well.
                try await withFollower(database, pollInterval: .milliseconds(20)) { follower in
                    #expect(follower.knows("order-1"))
                    try await database.pool.query(expire)
                    #expect(try await !cancellations.restore("order-1"), "no cancellation was in force")
                    try await eventually("order-1 is restored") { !follower.knows("order-1") }
                }
            }
        }
    }

    /// If several operators cancel a job at once, all calls succeed and exactly one creates the cancellation.
    @Test func createsOneCancellationForConcurrentCalls() async throws {
        try await TestDatabase.withMigrated { database in
            let cancellations = CancellationRepository(database.pool)
            #expect(try await cancellations.cancel("order-1"))
            try await database.pool.query("UPDATE martlet.cancelled_jobs SET expires_at = now()")
            let new = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { try await cancellations.cancel("order-1") } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(new == 1)
        }
    }

    @Test func recordsRoleThatCancelled() async throws {
        try await TestDatabase.withMigrated { database in
            try await database.withLogin(in: "martlet_operator") { login, role in
                let cancellations = CancellationRepository(login)
                #expect(try await cancellations.cancel("order-1"))
                let rows = try await database.pool.query("SELECT cancelled_by FROM martlet.cancelled_jobs")
                #expect(try rows.map { try $0["cancelled_by"].text } == [role])
                #expect(try await cancellations.restore("order-1"))
                let entries = try await AuditRepository(login).list(limit: 10)
                #expect(
                    entries.map { "\($0.role) \($0.operation) \($0.table) \($0.object ?? "")" } == [
                        "\(role) delete cancelled_jobs order-1", "\(role) insert cancelled_jobs order-1",
                    ])
            }
        }
    }
}
