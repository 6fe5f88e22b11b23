import Logging
import PostgresClient
import TestSupport
import TestTraits
import Testing

/// Tests that a cancelled task leaves no statement behind, neither in the client nor on the server.
@Suite(.needsDatabase, .endsAHang)
struct CancelledTaskTests {
    /// The key of an advisory lock that only this test uses.
    private let lock = PostgresValue.bigint(.random(in: .min ... .max))

    private func connect(_ change: (inout PostgresConfiguration) -> Void = { _ in }) async throws -> PostgresConnection
    {
        var configuration = try TestServer.configuration()
        change(&configuration)
        return try await PostgresConnection.connect(configuration)
    }

    /// Returns the number of sessions that wait for the lock.
    private func waiting(_ observer: PostgresConnection) async throws -> Int {
        try await observer.query(
            """
            SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND (classid::bigint << 32 | objid::bigint) = $1
            """, [lock]
        ).count
    }

    @Test(arguments: [Duration?.none, .seconds(600)])
    func cancelsStatementAndEndsSession(limit: Duration?) async throws {
        let holder = try await connect()
        try await holder.query("SELECT pg_advisory_lock($1)", [lock])
        let connection = try await connect {
            $0.queryTimeout = limit
            $0.lockTimeout = .seconds(600)
        }
        let statement = Task { try await connection.query("SELECT pg_advisory_lock($1)", [lock]) }
        try await eventually("the statement waits") { try await waiting(holder) == 1 }
        statement.cancel()
        await #expect(throws: CancellationError.self) { try await statement.value }
        #expect(await connection.waitForEnd().code == .closed)
        #expect(try await waiting(holder) == 0)
        await holder.close()
    }

    @Test func doesNotSendStatementCancelledInQueue() async throws {
        let holder = try await connect()
        try await holder.query("SELECT pg_advisory_lock($1)", [lock])
        let connection = try await connect()
        let first = Task { try await connection.query("SELECT pg_advisory_lock($1)", [lock]) }
        try await eventually("the statement waits") { try await waiting(holder) == 1 }
        let second = Task { try await connection.query("SELECT 1") }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        try await holder.query("SELECT pg_advisory_unlock($1)", [lock])
        _ = try await first.value
        #expect(try await connection.query("SELECT 1 AS one")[0]["one"].integer == 1)
        await connection.close()
        await holder.close()
    }

    @Test func poolContinuesWithAnotherConnection() async throws {
        let holder = try await connect()
        try await holder.query("SELECT pg_advisory_lock($1)", [lock])
        var options = PostgresPool.Options()
        options.maximumConnections = 1
        options.leaseTimeout = .seconds(600)
        var configuration = try TestServer.configuration()
        configuration.queryTimeout = .seconds(600)
        configuration.lockTimeout = .seconds(600)
        let pool = PostgresPool(configuration, options: options, logger: Logger(label: "test"))
        let transaction = Task {
            try await pool.transaction { try await $0.query("SELECT pg_advisory_xact_lock($1)", [lock]) }
        }
        try await eventually("the transaction waits") { try await waiting(holder) == 1 }
        transaction.cancel()
        await #expect(throws: CancellationError.self) { _ = try await transaction.value }
        #expect(try await pool.query("SELECT 1 AS one")[0]["one"].integer == 1)
        #expect(try await waiting(holder) == 0)
        pool.close()
        await holder.close()
    }

    /// A wait for a lock ends before the time limit of the statement, with an error that is retriable.
    @Test func limitsWaitForLock() async throws {
        let holder = try await connect()
        try await holder.query("SELECT pg_advisory_lock($1)", [lock])
        let connection = try await connect {
            $0.queryTimeout = .seconds(600)
            $0.lockTimeout = .milliseconds(100)
        }
        let error = await #expect(throws: PostgresError.self) {
            try await connection.query("SELECT pg_advisory_lock($1)", [lock])
        }
        #expect(error?.sqlState == "55P03" && error?.isRetriable == true && error?.isTimeout == false)
        #expect(connection.isOpen)
        await connection.close()
        await holder.close()
    }
}
