import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import Foundations
import WorkerTestSupport

@Suite(.needsDatabase, .endsAHang)
struct LockedTableTests {
    private final class Attempts: Sendable {
        let count = Atomic(0)
    }

    /// While the table is locked, repeated attempts use no more sessions than the pool has connections. Afterwards no
    /// session remains in the server.
    @Test func leavesNoSessionsBehindAfterTableLock() async throws {
        try await TestDatabase.withMigrated { database in
            let locking = try await PostgresConnection.connect(database.configuration)
            try await locking.query("BEGIN")
            try await locking.query("LOCK TABLE martlet.device_tokens")
            var configuration = try database.configuration(named: "worker")
            configuration.queryTimeout = .milliseconds(300)
            var options = PostgresPool.Options()
            options.maximumConnections = 3
            let pool = PostgresPool(configuration, options: options, logger: database.logger)
            let registry = DeviceTokenRegistry(pool)
            let mark = TokenMark(
                key: DeviceTokenKey(
                    output: "apns", app: "com.example.shop", environment: .production, form: .hex(maximumDigits: 512),
                    token: "aa"),
                unregisteredAt: Timestamp(seconds: 2_000), reason: "Unregistered")
            let attempts = Attempts()
            let marking = Task {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 {
                        group.addTask {
                            while !Task.isCancelled {
                                _ = try? await registry.mark([mark])
                                attempts.count.add(1, ordering: .relaxed)
                            }
                        }
                    }
                }
            }
            func sessions() async throws -> Int {
                try await database.pool.query(
                    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'worker'"
                ).count
            }
            var most = 0
            try await eventually("many statements have timed out") {
                most = max(most, try await sessions())
                return attempts.count.load(ordering: .relaxed) >= 30
            }
            #expect((1...3).contains(most), "the pool has three sessions, not \(most)")
            try await locking.query("ROLLBACK")
            try await eventually("the token is marked") {
                try await DeviceTokenRegistry(database.pool).show(
                    token: "aa", output: "apns", form: .hex(maximumDigits: 512)
                ).count == 1
            }
            marking.cancel()
            await marking.value
            pool.close()
            try await eventually("all sessions are closed") { try await sessions() == 0 }
            await locking.close()
        }
    }
}
