import Logging
import PostgresClient
import TestSupport
import TestTraits
import Testing

@Suite(.needsDatabase, .endsAHang)
struct PostgresPoolTests {
    private func pool(_ maximum: Int, leaseTimeout: Duration = .seconds(600)) throws -> PostgresPool {
        var options = PostgresPool.Options()
        options.maximumConnections = maximum
        options.leaseTimeout = leaseTimeout
        return PostgresPool(try TestServer.configuration(), options: options, logger: Logger(label: "test"))
    }

    @Test func manyCallersShareFewConnections() async throws {
        let pool = try pool(3)
        let processes = try await withThrowingTaskGroup(of: Int.self, returning: Set<Int>.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await pool.query("SELECT pg_backend_pid() AS pid, pg_sleep(0.001)")[0]["pid"].integer
                }
            }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
        #expect((1...3).contains(processes.count))
        pool.close()
    }

    @Test func survivesATerminatedBackend() async throws {
        let pool = try pool(1)
        // while it is lent
        await #expect(throws: PostgresError.self) {
            try await pool.withConnection { connection in
                try await TestServer.terminate(connection.processID())
                _ = await connection.waitForEnd()
                _ = try await connection.query("SELECT 1")
            }
        }
        let first = try await pool.withConnection { try await $0.processID() }
        // while it is idle: once the pool has noticed, nobody gets an error
        try await TestServer.terminate(first)
        try await eventually("a new connection") {
            let second = try? await pool.withConnection { try await $0.processID() }
            return second != nil && second != first
        }
        pool.close()
    }

    @Test func aForgottenTransactionIsNotHandedOn() async throws {
        let pool = try pool(1)
        let first = try await pool.withConnection { connection in
            try await connection.query("BEGIN")
            return try await connection.processID()
        }
        let second = try await pool.withConnection { try await $0.processID() }
        #expect(first != second)
        pool.close()
    }

    @Test func aBusyPoolTellsSoAfterTheLeaseTimeout() async throws {
        let pool = try pool(1, leaseTimeout: .seconds(5))
        try await pool.withConnection { _ in
            let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
            #expect(error?.code == .poolExhausted)
        }
        try await pool.query("SELECT 1")
        pool.close()
    }

    @Test func aCancelledCallerLeavesTheQueue() async throws {
        let pool = try pool(1)
        try await pool.withConnection { _ in
            let waiting = Task { try await pool.query("SELECT 1") }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        }
        try await pool.query("SELECT 1")
        pool.close()
    }

    @Test func aClosedPoolEndsItsSessions() async throws {
        let pool = try pool(1)
        let processID = try await pool.withConnection { try await $0.processID() }
        pool.close()
        let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
        #expect(error?.code == .closed)
        let observer = try await TestServer.connect()
        try await eventually("the session ends") {
            try await observer.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [.int(Int32(processID))]).isEmpty
        }
        await observer.close()
    }
}

@Suite(.endsAHang) struct PostgresPoolWithoutServerTests {
    @Test func failsAtOnceWithTheReason() async throws {
        var options = PostgresPool.Options()
        options.leaseTimeout = .seconds(3_600)
        let pool = PostgresPool(
            try PostgresConfiguration(url: TestServer.unreachable), options: options, logger: Logger(label: "test"))
        for _ in 0..<3 {
            // A caller waits for its lease for up to an hour.
            let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
            #expect(error?.code == .connectFailed)
        }
        pool.close()
    }

    @Test func waitsUpToTheLeaseTimeoutIfTold() async throws {
        var options = PostgresPool.Options()
        options.waitsForDatabase = true
        options.leaseTimeout = .milliseconds(300)
        let pool = PostgresPool(
            try PostgresConfiguration(url: TestServer.unreachable), options: options, logger: Logger(label: "test"))
        let start = ContinuousClock.now
        let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
        #expect(error?.code == .connectFailed, "the reason, not that the pool is busy")
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        pool.close()
    }
}
