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

    @Test func sharesFewConnectionsAmongManyCallers() async throws {
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

    @Test func survivesTerminatedSession() async throws {
        let pool = try pool(1)
        // The session is terminated while its connection is leased.
        await #expect(throws: PostgresError.self) {
            try await pool.withConnection { connection in
                try await TestServer.terminate(connection.processID())
                _ = await connection.waitForEnd()
                _ = try await connection.query("SELECT 1")
            }
        }
        let first = try await pool.withConnection { try await $0.processID() }
        // The session is terminated while its connection is idle. Once the pool detects this, no caller gets an error.
        try await TestServer.terminate(first)
        try await eventually("the pool opens a new connection") {
            let second = try? await pool.withConnection { try await $0.processID() }
            return second != nil && second != first
        }
        pool.close()
    }

    @Test func discardsConnectionWithOpenTransaction() async throws {
        let pool = try pool(1)
        let first = try await pool.withConnection { connection in
            try await connection.query("BEGIN")
            return try await connection.processID()
        }
        let second = try await pool.withConnection { try await $0.processID() }
        #expect(first != second)
        pool.close()
    }

    @Test func reportsBusyPoolAfterLeaseTimeout() async throws {
        let pool = try pool(1, leaseTimeout: .seconds(5))
        try await pool.withConnection { _ in
            let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
            #expect(error?.code == .poolExhausted)
        }
        try await pool.query("SELECT 1")
        pool.close()
    }

    @Test func removesCancelledCallerFromQueue() async throws {
        let pool = try pool(1)
        try await pool.withConnection { _ in
            let waiting = Task { try await pool.query("SELECT 1") }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        }
        try await pool.query("SELECT 1")
        pool.close()
    }

    @Test func closeEndsSessions() async throws {
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
    @Test func failsAtOnceWithCause() async throws {
        var options = PostgresPool.Options()
        options.leaseTimeout = .seconds(3_600)
        let pool = PostgresPool(
            try PostgresConfiguration(url: TestServer.unreachable), options: options, logger: Logger(label: "test"))
        for _ in 0..<3 {
            // If the pool did not fail at once, the caller would wait for up to an hour.
            let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
            #expect(error?.code == .connectFailed)
        }
        pool.close()
    }

    @Test func waitsUntilLeaseTimeoutIfConfigured() async throws {
        var options = PostgresPool.Options()
        options.waitsForDatabase = true
        options.leaseTimeout = .milliseconds(300)
        let pool = PostgresPool(
            try PostgresConfiguration(url: TestServer.unreachable), options: options, logger: Logger(label: "test"))
        let start = ContinuousClock.now
        let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
        #expect(error?.code == .connectFailed, "the error must give the cause, not a busy pool")
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        pool.close()
    }
}
