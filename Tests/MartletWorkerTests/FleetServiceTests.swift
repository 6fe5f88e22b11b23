import Foundation
import Logging
import Foundations
import MartletWorker
import Observability
import PostgresClient
import ServiceLifecycle
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The fleet services of several workers on the real database.
@Suite(.needsDatabase, .endsAHang)
struct FleetServiceTests {
    private static let quota = "fcm/p"

    /// The fleet service of one worker.
    private final class Member: Sendable {
        let quotaShares = QuotaShareTable()
        let pool: PostgresPool
        private let running: Task<Void, any Error>

        init(_ name: String, _ database: TestDatabase, renewal: Duration, log: LogRecorder = LogRecorder()) {
            var options = PostgresPool.Options()
            options.maximumConnections = 1
            pool = PostgresPool(database.configuration, options: options, logger: database.logger)
            var pace = FleetService.Pace()
            pace.renewal = renewal
            pace.away = Backoff(first: .milliseconds(20), longest: .milliseconds(100))
            pace.refused = Backoff(first: .milliseconds(20), longest: .milliseconds(100))
            let changes = ChangeListener(database.configuration, logger: database.logger)
            let service = FleetService(
                quotaShares: quotaShares, changes: changes, repository: WorkerRepository(pool),
                worker: RunningWorker(
                    id: UUID().uuidString.lowercased(), name: name, version: "0", outputs: [], start: .now),
                pace: pace, logger: log.logger("fleet"))
            running = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await changes.run() }
                    group.addTask { try await service.run() }
                    try await group.waitForAll()
                }
            }
        }

        var workers: Int? { quotaShares.workers(sharing: FleetServiceTests.quota) }

        /// Stops the service and leaves its row, as if the worker had been killed.
        func kill() async {
            running.cancel()
            _ = await running.result
            pool.close()
        }
    }

    private func members(
        _ count: Int, _ database: TestDatabase, renewal: Duration = .milliseconds(50), log: LogRecorder = LogRecorder(),
        _ body: ([Member]) async throws -> Void
    ) async throws {
        let members = (1...count).map { Member("push-\($0)", database, renewal: renewal, log: log) }
        do { try await body(members) } catch { Issue.record(error) }
        for member in members { await member.kill() }
    }

    private func eventually(_ members: some Sequence<Member> & Sendable, share count: Int) async throws {
        try await TestSupport.eventually("members count \(members.map(\.workers)), expected \(count)") {
            // Every member is asked, because a member that does not use the quota does not share it.
            members.map(\.workers).allSatisfy { $0 == count }
        }
    }

    /// The next renewal is 15 minutes away.
    @Test func countsNewQuotaAtOnce() async throws {
        try await TestDatabase.withMigrated { database in
            try await members(1, database, renewal: .seconds(900)) { members in
                try await TestSupport.eventually("the row is written") { members[0].quotaShares.view.isKnown }
                #expect(members[0].quotaShares.workers(sharing: "fcm/other") == nil)
                try await eventually(members, share: 1)
                #expect(members[0].quotaShares.view.quotas == ["fcm/other": 1, Self.quota: 1])
            }
        }
    }

    /// The other workers are notified and do not wait for their next renewal, which is 15 minutes away.
    @Test func countsNewWorkerAtOnce() async throws {
        try await TestDatabase.withMigrated { database in
            try await members(3, database, renewal: .seconds(900)) { members in
                try await TestSupport.eventually("all workers listen") {
                    try await database.pool.query(
                        """
                        SELECT FROM pg_stat_activity
                        WHERE datname = current_database() AND query LIKE 'LISTEN%' AND state = 'idle'
                        """
                    ).count == 3
                }
                for count in 1...3 { try await eventually(members[..<count], share: count) }
            }
        }
    }

    @Test func followsKilledAndAddedWorkers() async throws {
        try await TestDatabase.withMigrated { database in
            try await members(4, database) { members in
                try await eventually(members, share: 4)
                await members[3].kill()
                // Makes the row six seconds older, so that it is stale.
                try await database.pool.query(
                    "UPDATE martlet.workers SET seen_at = seen_at - interval '6 s' WHERE name = 'push-4'")
                try await eventually(members[..<3], share: 3)
                let added = Member("push-5", database, renewal: .milliseconds(50))
                try await eventually(members[..<3] + [added], share: 4)
                await added.kill()
            }
        }
    }

    @Test func keepsLastCountDuringDatabaseOutage() async throws {
        try await TestDatabase.withMigrated { database in
            let log = LogRecorder()
            try await members(3, database, log: log) { members in
                try await eventually(members, share: 3)
                try await database.withoutConnections {
                    try await TestSupport.eventually("all workers log the outage: \(log.text)") {
                        log.text.split(separator: "The table martlet.workers cannot be read; retrying").count == 4
                    }
                    #expect(members.map(\.workers) == [3, 3, 3])
                    #expect(members[0].quotaShares.workers(sharing: "fcm/new") == nil)
                }
                try await TestSupport.eventually("a worker logs the end of the outage: \(log.text)") {
                    log.text.split(separator: "The table martlet.workers can be read again").count > 1
                }
                #expect(members.map(\.workers) == [3, 3, 3], "no share may grow because other workers reconnect later")
                try await TestSupport.eventually("the new quota is counted") {
                    members[0].quotaShares.workers(sharing: "fcm/new") == 1
                }
                let late = Member("push-4", database, renewal: .milliseconds(50))
                try await eventually(members + [late], share: 4)
                await late.kill()
            }
        }
    }

    /// The table is missing, as if its migration or its grants had not been applied.
    @Test func countsOnlyItselfAndLogsOnceWithoutTable() async throws {
        try await TestDatabase.withMigrated { database in
            let log = LogRecorder()
            try await database.pool.query("ALTER TABLE martlet.workers RENAME TO hidden")
            try await members(2, database, log: log) { members in
                try await eventually(members, share: 1)
                #expect(members[0].quotaShares.workers(sharing: "fcm/new") == 1)
                #expect(!members[0].quotaShares.view.isKnown)
                try await database.pool.query("ALTER TABLE martlet.hidden RENAME TO workers")
                try await eventually(members, share: 2)
                #expect(members[0].quotaShares.view.isKnown)
                let reported = log.text.split(separator: "assumes that it is the only one").count - 1
                #expect(reported == 2, "\(log.text)")
            }
        }
    }

    /// The table is missing when the worker stops. In the second case, the table is restored while the worker retries.
    @Test(arguments: [false, true]) func deletesOrReportsRowOnStop(tableReturns: Bool) async throws {
        try await TestDatabase.withMigrated { database in
            let (log, pool) = (LogRecorder(), PostgresPool(database.configuration, logger: database.logger))
            defer { pool.close() }
            let (quotaShares, changes) = (
                QuotaShareTable(), ChangeListener(database.configuration, logger: database.logger)
            )
            var pace = FleetService.Pace()
            pace.signOff = tableReturns ? .seconds(600) : .zero
            let service = FleetService(
                quotaShares: quotaShares, changes: changes, repository: WorkerRepository(pool),
                worker: RunningWorker(
                    id: UUID().uuidString.lowercased(), name: "push-1", version: "0", outputs: [], start: .now),
                pace: pace, logger: log.logger("fleet"))
            let group = ServiceGroup(services: [service], logger: database.logger)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                quotaShares.look()
                try await TestSupport.eventually("the row is written") { quotaShares.view.isKnown }
                try await database.pool.query("ALTER TABLE martlet.workers RENAME TO hidden")
                await group.triggerGracefulShutdown()
                if tableReturns { try await database.pool.query("ALTER TABLE martlet.hidden RENAME TO workers") }
                try await tasks.waitForAll()
            }
            #expect(log.text.contains("martlet top --forget push-1") == !tableReturns, "\(log.text)")
            if tableReturns {
                #expect(try await database.pool.query("SELECT FROM martlet.workers").isEmpty)
            }
        }
    }
}
