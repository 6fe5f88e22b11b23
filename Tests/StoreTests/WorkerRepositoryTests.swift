import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

@Suite(.needsDatabase, .endsAHang)
struct WorkerRepositoryTests {
    private func worker(_ name: String, upFor uptime: Duration = .seconds(1)) -> RunningWorker {
        RunningWorker(
            id: UUID().uuidString.lowercased(), name: name, version: "0.1.0", outputs: ["apns", "fcm"],
            start: .now - uptime
        )
    }

    /// Sets the row of a worker as if it was last renewed the given number of seconds ago.
    private func age(_ worker: RunningWorker, _ seconds: Int, _ database: TestDatabase) async throws {
        try await database.pool.query(
            "UPDATE martlet.workers SET seen_at = clock_timestamp() - $2::bigint * interval '1 s' WHERE id = $1",
            [.text(worker.id), .bigint(Int64(seconds))])
    }

    private func names(_ database: TestDatabase) async throws -> [String] {
        try await database.pool.query("SELECT name FROM martlet.workers ORDER BY name").map { try $0["name"].text }
    }

    /// A role that may write the table can write anything, and every worker reads it.
    @Test(arguments: [
        #"{"host":"h","pid":1,"state":"ready","lanes":[],"rate":1e300,"minute":{},"oldest_job_seconds":5}"#,
        #"{"host":"h","pid":-9223372036854775808,"state":"ready","lanes":[{"lane":"a","waiting":9223372036854775807,"open":9223372036854775807,"rate":1,"age":-1},{"lane":"b","waiting":9223372036854775807,"open":9223372036854775807,"rate":1,"age":1}],"rate":-1,"minute":{"sent":9223372036854775807},"oldest_job_seconds":9223372036854775807}"#,
        #"{"rate":"much"}"#, "[]", "null",
    ])
    func limitsImplausibleValuesOfRow(report: String) async throws {
        try await TestDatabase.withMigrated { database in
            try await database.pool.query(
                """
                INSERT INTO martlet.workers (id, name, version, started_at, seen_at, outputs, report)
                SELECT gen_random_uuid(), repeat('n', 1000000), repeat('v', 1000), started, now(),
                    array_fill('o'::text, ARRAY[100]), $1::text::jsonb
                FROM unnest('{-infinity,infinity,now}'::timestamptz[]) AS started
                """, [.text(report)])
            let fleet = try await WorkerRepository(database.pool).fleet()
            #expect(fleet.count == 3)
            for member in fleet {
                #expect(member.name.count == 200 && member.version.count == 50 && member.outputs.count == 20)
                guard let report = member.report else { continue }
                #expect(report.rate.isFinite && (0...1e12).contains(report.rate))
                let numbers =
                    report.lanes.flatMap { [$0.waiting, $0.open, $0.rate, $0.age] } + report.minute.values
                    + [report.oldestJobSeconds, report.pid]
                #expect(numbers.allSatisfy { (0...1_000_000_000_000).contains($0) }, "\(numbers)")
            }
        }
    }

    @Test func countsLiveWorkersPerQuota() async throws {
        try await TestDatabase.withMigrated { database in
            let repository = WorkerRepository(database.pool)
            let workers = (1...5).map { worker("push-\($0)") }
            for worker in workers[..<4] { _ = try await repository.renew(worker, quotas: ["fcm/p"]) }
            /// Returns the counts that the first worker gets if the others were renewed the given numbers of seconds
            /// ago.
            func counted(_ ages: [Int], with quotas: [String] = ["fcm/p"]) async throws -> [String: Int] {
                // The ages grow while the test runs.
                try await undisturbed(within: .seconds(2)) {
                    for (worker, seconds) in zip(workers.dropFirst(), ages) { try await age(worker, seconds, database) }
                    return try await repository.renew(workers[0], quotas: quotas)
                }
            }
            #expect(try await counted([0, 0, 0]) == ["fcm/p": 4])
            #expect(try await counted([0, 0, 0], with: ["fcm/mine", "fcm/p"]) == ["fcm/p": 4, "fcm/mine": 1])
            #expect(try await counted([0, 0, 0], with: []) == [:])
            #expect(try await counted([WorkerRepository.staleSeconds, 3, 0]) == ["fcm/p": 3], "one worker is stale")
            _ = try await repository.renew(workers[4], quotas: ["fcm/p"])
            #expect(try await counted([60, 0, 0, 0]) == ["fcm/p": 4], "a worker was added")
            _ = try await repository.renew(workers[3], quotas: ["fcm/other"])
            #expect(try await counted([60, 0, 0, 0]) == ["fcm/p": 3], "one worker uses another quota")
            try await repository.remove(workers[2])
            #expect(try await counted([60, 0, 0, 0]) == ["fcm/p": 2], "one worker has stopped")
            _ = try await repository.renew(workers[1], quotas: ["fcm/p"])
            #expect(try await counted([0, 0, 0, 0]) == ["fcm/p": 3], "a suspended worker has resumed")
        }
    }

    /// After a clock was set back, the row of a dead worker has a time in the future. The worker must not count as
    /// alive.
    @Test func ignoresDeadWorkerWithTimeInFuture() async throws {
        try await TestDatabase.withMigrated { database in
            let repository = WorkerRepository(database.pool)
            let (gone, here) = (worker("push-1"), worker("push-2"))
            _ = try await repository.renew(gone, quotas: ["fcm/p"])
            try await age(gone, -3_000, database)
            #expect(try await repository.renew(here, quotas: ["fcm/p"]) == ["fcm/p": 1])
            try await age(here, 0, database)
            #expect(try await repository.fleet().map(\.name) == ["push-2"])
            try await repository.forgetStale()
            #expect(try await names(database) == ["push-1", "push-2"])
            try await age(gone, 7 * 86_400 + 1, database)
            try await age(here, 0, database)
            try await repository.forgetStale()
            #expect(try await names(database) == ["push-2"])
        }
    }

    /// The start time is computed from the database's clock and the uptime of the process, regardless of the worker's
    /// clock.
    @Test func writesUptimeOfWorker() async throws {
        try await TestDatabase.withMigrated { database in
            let repository = WorkerRepository(database.pool)
            let start = ContinuousClock.now
            let worker = worker("push-1", upFor: .seconds(3_600))
            for _ in 0..<2 { _ = try await repository.renew(worker, quotas: ["fcm/p"]) }
            let rows = try await database.pool.query(
                """
                SELECT name, version, outputs, quotas, extract(epoch FROM seen_at - started_at)::bigint AS uptime
                FROM martlet.workers WHERE id = $1
                """, [.text(worker.id)])
            #expect(rows.count == 1)
            let passed = Int((ContinuousClock.now - start) / .seconds(1)) + 1
            #expect(try (3_600...3_600 + passed).contains(rows[0]["uptime"].integer))
            #expect(try rows[0]["outputs"].textArray == ["apns", "fcm"])
            #expect(try rows[0]["quotas"].textArray == ["fcm/p"])
            #expect(try rows[0]["version"].text == "0.1.0")
        }
    }

    /// An operator may read all rows. A worker of an earlier version has no report. A row is listed for a week.
    @Test func listsReportsOfWorkers() async throws {
        try await TestDatabase.withMigrated { database in
            let repository = WorkerRepository(database.pool)
            let (here, silent, gone) = (worker("push-1"), worker("push-2"), worker("push-3"))
            var report = WorkerReport(
                host: "web-3", pid: 4711, state: .hindered, obstacle: "consuming: false, publishing: true",
                lanes: [.init(lane: .bulk, waiting: 3, open: 2, rate: 1_000, age: 7)], rate: 12.34,
                minute: ["sent": 740, "retried": 0], oldestJobSeconds: 7)
            for worker in [here, silent, gone] {
                _ = try await repository.renew(worker, quotas: [], report: report)
            }
            report.state = .ready
            report.obstacle = nil
            report.problems = [
                .init(
                    kind: "provider.unreachable", party: "network", severity: "trouble", subject: "push production",
                    text: "No connection: push production: push.example:443: Connection refused.",
                    since: Timestamp(seconds: 1_800_000_000))
            ]
            _ = try await repository.renew(here, quotas: [], report: report)
            try await age(silent, 20, database)
            try await age(gone, 7 * 86_400 + 1, database)
            let earlier = UUID().uuidString.lowercased()
            try await database.pool.query(
                """
                INSERT INTO martlet.workers (id, name, version, started_at, seen_at)
                VALUES ($1, 'push-0', '0.0.9', clock_timestamp(), clock_timestamp())
                """, [.text(earlier)])
            try await database.withLogin(in: "martlet_operator") { login, _ in
                let fleet = try await undisturbed(within: .seconds(4)) {
                    try await database.pool.query(
                        "UPDATE martlet.workers SET seen_at = clock_timestamp() WHERE name IN ('push-0', 'push-1')")
                    try await age(silent, 20, database)
                    return try await WorkerRepository(login).fleet()
                }
                #expect(fleet.map(\.name) == ["push-0", "push-1", "push-2"])
                #expect(fleet.map(\.isSilent) == [false, false, true])
                #expect(fleet[0].report == nil && fleet[0].id == earlier)
                #expect(fleet[1].report == report && fleet[1].outputs == ["apns", "fcm"])
                #expect(fleet[1].report?.rate == 12.3 && fleet[1].report?.minute == ["sent": 740])
                let problems = try await WorkerRepository(login).fleet().problems.map(\.text)
                #expect(problems == report.problems?.map { "\($0.text) (reported by push-1)" })
                #expect(fleet[2].report?.state == .hindered && fleet[2].silentSeconds >= 20)
            }
            let bytes = try await database.pool.query(
                "SELECT octet_length(report::text)::bigint AS bytes FROM martlet.workers WHERE name = 'push-1'")
            #expect(try bytes[0]["bytes"].integer < 1_000)
            await #expect(throws: PostgresError.self, "a report that is too large must be rejected") {
                try await database.pool.query(
                    "UPDATE martlet.workers SET report = jsonb_build_object('host', repeat('x', 4096))")
            }
        }
    }

    /// A worker was killed and started again under its name. Its old row is hidden once it is stale.
    @Test(arguments: [(WorkerRepository.staleSeconds + 20, 1), (1, 2)])
    func hidesStaleRowOfRestartedWorker(silence: Int, count: Int) async throws {
        try await TestDatabase.withMigrated { database in
            let repository = WorkerRepository(database.pool)
            let (older, younger) = (worker("push-1", upFor: .seconds(100)), worker("push-1"))
            let report = WorkerReport(
                host: "web-3", pid: 4711, state: .ready, lanes: [.init(lane: .bulk, waiting: 3, open: 2)])
            for worker in [older, younger] { _ = try await repository.renew(worker, quotas: [], report: report) }
            let living = try await undisturbed(within: .seconds(2)) {
                try await age(younger, 0, database)
                try await age(older, silence, database)
                return try await repository.fleet()
            }
            #expect(living.count == count)
            #expect(living.jobsInHand == 5 * count)
            // The younger worker is killed as well. Both are listed as silent.
            try await age(younger, 20, database)
            try await age(older, 20, database)
            let fleet = try await repository.fleet()
            #expect(fleet.silent.count == 2 && fleet.jobsInHand == 0)
        }
    }

    @Test func reportsMissingWritePermission() async throws {
        try await TestDatabase.withMigrated { database in
            for (group, may) in [("martlet_worker", true), ("martlet_operator", true), ("", false)] {
                try await database.withLogin(in: group) { login, role in
                    if group.isEmpty {
                        try await database.pool.query("GRANT USAGE ON SCHEMA martlet TO \(role)")
                        try await database.pool.query("GRANT INSERT ON martlet.refusals TO \(role)")
                    }
                    #expect(try await WorkerRepository(login).mayBeWritten() == may, "\(group)")
                }
            }
        }
    }

    @Test func replacesSilentWorkersOfSameName() async throws {
        try await TestDatabase.withMigrated { database in
            let repository = WorkerRepository(database.pool)
            let report = WorkerReport(host: "web-3", pid: 4711, state: .ready)
            let killed = (1...2).map { _ in worker("push-1", upFor: .seconds(100)) }
            let (other, living) = (worker("push-2", upFor: .seconds(100)), worker("push-1", upFor: .seconds(100)))
            for worker in killed + [other, living] {
                _ = try await repository.renew(worker, quotas: [], report: report)
            }
            for worker in killed { try await age(worker, 20, database) }
            try await age(other, 600, database)
            try await age(living, 0, database)
            let new = worker("push-1")
            let replaced = try await repository.replaceSilent(by: new).map(\.id)
            #expect(Set(replaced) == Set(killed.map(\.id)))
            #expect(try await repository.fleet().map(\.name) == ["push-1", "push-2"], "live and other rows remain")
        }
    }

    @Test func replacesWorkerThatIsSilentForLongest() async throws {
        try await TestDatabase.withMigrated { database in
            let repository = WorkerRepository(database.pool)
            let (older, newer) = (worker("push-1", upFor: .seconds(100)), worker("push-2", upFor: .seconds(100)))
            for worker in [older, newer] { _ = try await repository.renew(worker, quotas: []) }
            try await age(older, 600, database)
            try await age(newer, 20, database)
            let late = worker("push-8", upFor: .seconds(3_600))
            let earlier = try await repository.replaceSilent(by: late)
            #expect(earlier.isEmpty, "the worker started before the others fell silent")
            let replaced = try await repository.replaceSilent(by: worker("push-9"))
            #expect(replaced.map(\.name) == ["push-1"])
            #expect(try await names(database) == ["push-2"])
        }
    }

    @Test func forgetsOnlySilentWorkers() async throws {
        try await TestDatabase.withMigrated { database in
            let repository = WorkerRepository(database.pool)
            let (gone, living) = (worker("push-1"), worker("push-1"))
            for worker in [gone, living] { _ = try await repository.renew(worker, quotas: []) }
            try await age(gone, 20, database)
            try await age(living, 0, database)
            try await database.withLogin(in: "martlet_operator") { login, _ in
                let forgotten = try await WorkerRepository(login).forgetSilent(name: "push-1")
                #expect(forgotten == 1)
                let unknown = try await WorkerRepository(login).forgetSilent(name: "push-2")
                #expect(unknown == 0)
            }
            #expect(try await names(database) == ["push-1"])
        }
    }

    @Test func readsTimeAndRoleOfPause() async throws {
        try await TestDatabase.withMigrated { database in
            for app in ["com.example.a", "com.example.b"] {
                try await database.pool.query(
                    "INSERT INTO martlet.apps (bundle_id) VALUES ($1)", [.text(app)])
            }
            try await database.pool.query("UPDATE martlet.apps SET paused = true WHERE bundle_id = 'com.example.b'")
            try await database.pool.query("UPDATE martlet.apps SET rate = 5 WHERE bundle_id = 'com.example.b'")
            let user = try await database.pool.query("SELECT session_user::text AS name")[0]["name"].text
            let audit = try await database.pool.query(
                """
                SELECT at FROM martlet.audit WHERE 'paused' = ANY (changed) AND object_id = 'com.example.b' ORDER BY id DESC
                """)
            let paused = try audit[0]["at"].milliseconds
            for role in ["martlet_worker", "martlet_operator"] {
                try await database.withLogin(in: role) { login, _ in
                    let pauses = try await AuditRepository(login).pauses()
                    let since = Timestamp(milliseconds: paused)
                    #expect(pauses == [AppPause(app: "com.example.b", since: since, by: user)])
                }
            }
        }
    }
}
