import Logging
import PostgresClient
import TestSupport
import TestTraits
import Testing

@Suite(.needsDatabase, .endsAHang)
struct PostgresConnectionTests {
    // MARK: values

    @Test func roundTripsValues() async throws {
        let connection = try await TestServer.connect()
        let row = try await connection.query(
            """
            SELECT $1::text AS t, $2::int AS i, $3::bigint AS b, $4::bool AS f, $5::bytea AS y, $6::timestamptz AS z,
                $7::text[] AS ts, $8::bytea[] AS ys, $9::text AS n, $10::uuid AS u, $11::bytea AS e, $12::text[] AS es
            """,
            [
                .text("Grüße, 推送"), .int(-7), .bigint(.max), .bool(true), .bytea([0, 255, 39]),
                .timestamp(milliseconds: 1_763_632_800_123), .textArray(["a", "", "\"b\",{c}"]),
                .byteaArray([[0], [], [1, 2]]), .null, .text("6F9619FF-8B86-D011-B42D-00CF4FC964FF"), .bytea([]),
                .textArray([]),
            ])[0]
        #expect(try row["t"].text == "Grüße, 推送")
        #expect(try row["i"].integer == -7)
        #expect(try row["b"].integer == Int(Int64.max))
        #expect(try row["f"].bool)
        #expect(try row["y"].bytes == [0, 255, 39])
        #expect(try row["z"].milliseconds == 1_763_632_800_123)
        #expect(try row["ts"].textArray == ["a", "", "\"b\",{c}"])
        #expect(try row["ys"].byteaArray == [[0], [], [1, 2]])
        #expect(try row["n"].optional == nil)
        #expect(try row["u"].uuid == "6f9619ff-8b86-d011-b42d-00cf4fc964ff")
        #expect(try row["e"].bytes == [])
        #expect(try row["es"].textArray == [])
        await connection.close()
    }

    @Test func expandsArraysToRows() async throws {
        let connection = try await TestServer.connect()
        let rows = try await connection.query(
            """
            SELECT t, b, extract(epoch FROM z)::bigint AS z
            FROM unnest($1::text[], $2::bigint[], $3::timestamptz[]) AS u (t, b, z)
            """,
            [
                .textArray(["x", nil, "z"]), .bigintArray([1, 2, nil]),
                .timestampArray(milliseconds: [-1_000, 0, nil]),
            ])
        #expect(try rows.map { try $0["t"].optional?.text } == ["x", nil, "z"])
        #expect(try rows.map { try $0["b"].optional?.integer } == [1, 2, nil])
        #expect(try rows.map { try $0["z"].optional?.integer } == [-1, 0, nil])
        await connection.close()
    }

    @Test func namesColumnInGetterErrors() async throws {
        let connection = try await TestServer.connect()
        let row = try await connection.query("SELECT 1::bigint AS b, NULL::text AS t, 'infinity'::timestamptz AS z")[0]
        #expect(throws: PostgresError(.unexpectedResult, "column b is bigint, not text")) { try row["b"].text }
        #expect(throws: PostgresError(.unexpectedResult, "column t is NULL, not text")) { try row["t"].text }
        #expect(throws: PostgresError(.unexpectedResult, "the result has no column c")) { try row["c"].text }
        #expect(throws: PostgresError(.unexpectedResult, "column z is not a finite timestamptz")) {
            try row["z"].milliseconds
        }
        await connection.close()
    }

    @Test func rejectsUnsendableStatements() async throws {
        let connection = try await TestServer.connect()
        for statement in [
            PostgresStatement("SELECT $1::text, $2::text", [.text("ok"), .text("a\0b")]),
            PostgresStatement("SELECT 1\0"),
            PostgresStatement("SELECT $1::timestamptz", [.timestamp(milliseconds: .max)]),
            PostgresStatement("SELECT 1", Array(repeating: .text("many"), count: 65_536)),
        ] {
            let single = await #expect(throws: PostgresError.self) {
                try await connection.query(statement.sql, statement.parameters)
            }
            #expect(single?.code == .unsendable, "\(String(describing: single))")
            let batch = await #expect(throws: PostgresError.self) {
                try await connection.batch([PostgresStatement("SELECT 1"), statement])
            }
            #expect(batch?.code == .unsendable, "\(String(describing: batch))")
        }
        #expect(try await connection.query("SELECT 1 AS one")[0]["one"].integer == 1)
        await connection.close()
    }

    // MARK: errors

    @Test func reportsDetailsOfServerErrors() async throws {
        let connection = try await TestServer.connect()
        try await connection.execute(
            script: "CREATE TEMP TABLE once (n int CONSTRAINT only_once PRIMARY KEY); INSERT INTO once VALUES (1)")
        let error = try #require(
            await #expect(throws: PostgresError.self) { try await connection.query("INSERT INTO once VALUES (1)") })
        #expect(error.code == .server)
        #expect(error.sqlState == "23505")
        #expect(error.severity == "ERROR")
        #expect(error.constraint == "only_once")
        #expect(error.detail?.contains("(n)=(1)") == true)
        #expect(!error.isRetriable)
        #expect(connection.isOpen)
        await connection.close()
    }

    @Test func reportsLostConnectionAsRetriable() async throws {
        let connection = try await TestServer.connect()
        let processID = try await connection.processID()
        let sleeping = Task { try await connection.query("SELECT pg_sleep(60)") }
        try await TestServer.terminate(processID)
        let error = await #expect(throws: PostgresError.self) { _ = try await sleeping.value }
        #expect(error?.isRetriable == true, "\(String(describing: error))")
        _ = await connection.waitForEnd()
        #expect(!connection.isOpen)
        let later = await #expect(throws: PostgresError.self) { try await connection.query("SELECT 1") }
        #expect(later?.isRetriable == true, "\(String(describing: later))")
    }

    @Test func detectsEndOfIdleConnection() async throws {
        let connection = try await TestServer.connect()
        try await TestServer.terminate(connection.processID())
        let error = await connection.waitForEnd()
        #expect(error.code == .connectionLost)
        #expect(!connection.isOpen)
    }

    /// The server cancels the statement before the client gives up, so the connection stays usable.
    @Test func limitsTimeOfQuery() async throws {
        var configuration = try TestServer.configuration()
        // The server cancels after five sixths of the limit. The rest is a margin for a busy machine.
        configuration.queryTimeout = .seconds(30)
        let connection = try await PostgresConnection.connect(configuration)
        let error = await #expect(throws: PostgresError.self) { try await connection.query("SELECT pg_sleep(600)") }
        #expect(error?.sqlState == "57014" && error?.isTimeout == true && error?.isRetriable == true)
        #expect(error?.statementIndex == nil)
        let limit = try await connection.query("SHOW statement_timeout", timeout: .seconds(60))
        #expect(try limit[0]["statement_timeout"].text == "50s")
        #expect(try await connection.transaction { try await $0.query("SELECT 1 AS one")[0]["one"].integer } == 1)
        await connection.close()
    }

    /// For a script, only the client limits the time.
    @Test func cancelsTimedOutScript() async throws {
        var configuration = try TestServer.configuration()
        configuration.queryTimeout = .milliseconds(50)
        let connection = try await PostgresConnection.connect(configuration)
        let processID = try await connection.query("SELECT pg_backend_pid() AS pid", timeout: .seconds(60))[0]["pid"]
            .integer
        let error = await #expect(throws: PostgresError.self) {
            try await connection.execute(script: "SELECT pg_sleep(600)")
        }
        #expect(error?.code == .timedOut)
        #expect(await connection.waitForEnd().code == .timedOut)
        let other = try await TestServer.connect()
        try await eventually("the session ends") {
            try await other.query("SELECT FROM pg_stat_activity WHERE pid = $1", [.int(Int32(processID))]).isEmpty
        }
        await other.close()
    }

    /// A pool must not keep writing to a server that is no longer the primary.
    @Test func discardsConnectionToReadOnlyServer() async throws {
        var options = PostgresPool.Options()
        options.leaseTimeout = .seconds(600)
        let pool = PostgresPool(try TestServer.configuration(), options: options, logger: Logger(label: "test"))
        let first = try await pool.withConnection { connection in
            try await connection.query("SET default_transaction_read_only = on")
            let error = await #expect(throws: PostgresError.self) {
                try await connection.query("CREATE TABLE martlet_never (n int)")
            }
            #expect(error?.sqlState == "25006" && error?.isRetriable == true)
            return try await connection.processID()
        }
        #expect(try await pool.withConnection { try await $0.processID() } != first)
        pool.close()
    }

    @Test func rejectsCopy() async throws {
        let connection = try await TestServer.connect()
        let error = await #expect(throws: PostgresError.self) {
            try await connection.query("COPY (SELECT 1) TO STDOUT")
        }
        #expect(error?.message == "COPY is not supported")
    }

    @Test func failsQueriesAfterClose() async throws {
        let connection = try await TestServer.connect()
        await connection.close()
        let error = await #expect(throws: PostgresError.self) { try await connection.query("SELECT 1") }
        #expect(error?.code == .closed)
    }

    // MARK: batches and transactions

    @Test func returnsOneResultPerBatchStatement() async throws {
        let connection = try await TestServer.connect()
        let results = try await connection.batch([
            PostgresStatement("CREATE TEMP TABLE numbers (n int)"),
            PostgresStatement("INSERT INTO numbers SELECT * FROM generate_series(1, $1)", [.int(3)]),
            PostgresStatement("SELECT n FROM numbers ORDER BY n"),
        ])
        #expect(results.map(\.affectedRows) == [0, 3, 3])
        #expect(try results[2].map { try $0["n"].integer } == [1, 2, 3])
        await connection.close()
    }

    @Test func rollsBackBatchOnError() async throws {
        let connection = try await TestServer.connect()
        try await connection.query("CREATE TEMP TABLE numbers (n int)")
        let error = await #expect(throws: PostgresError.self) {
            try await connection.batch([
                PostgresStatement("INSERT INTO numbers VALUES (1)"),
                PostgresStatement("INSERT INTO numbers VALUES (1 / $1)", [.int(0)]),
                PostgresStatement("INSERT INTO numbers VALUES (3)"),
            ])
        }
        #expect(error?.statementIndex == 1)
        #expect(error?.sqlState == "22012")
        #expect(try await connection.query("SELECT count(*) FROM numbers")[0]["count"].integer == 0)
        await connection.close()
    }

    /// The server stops reading while the client does not read its answers, so the client must write and read at the
    /// same time.
    @Test func sendsBatchLargerThanBuffers() async throws {
        let connection = try await TestServer.connect()
        let value = [UInt8](repeating: 7, count: 4 << 20)
        let statements = (0..<6).map { _ in
            PostgresStatement("SELECT $1::bytea || $1 || $1 AS echo", [.bytea(value)])
        }
        let results = try await connection.batch(statements)
        #expect(try results.map { try $0[0]["echo"].bytes.count } == Array(repeating: 12 << 20, count: 6))
        await connection.close()
    }

    @Test func commitsOrRollsBackTransaction() async throws {
        struct Stop: Error {}
        let connection = try await TestServer.connect()
        try await connection.query("CREATE TEMP TABLE numbers (n int)")
        try await connection.transaction { _ = try await $0.query("INSERT INTO numbers VALUES (1)") }
        await #expect(throws: Stop.self) {
            try await connection.transaction {
                _ = try await $0.query("INSERT INTO numbers VALUES (2)")
                throw Stop()
            }
        }
        let swallowed = await #expect(throws: PostgresError.self) {
            try await connection.transaction {
                _ = try await $0.query("INSERT INTO numbers VALUES (3)")
                _ = try? await $0.query("SELECT 1 / 0")
            }
        }
        #expect(swallowed?.message.contains("rolled back") == true)
        #expect(try await connection.query("SELECT n FROM numbers").map { try $0["n"].integer } == [1])
        await connection.close()
    }
}

@Suite struct PostgresConnectFailureTests {
    @Test func reportsUnreachableServerWithoutPassword() async throws {
        let configuration = try PostgresConfiguration(url: TestServer.unreachable)
        let error = try #require(
            await #expect(throws: PostgresError.self) { try await PostgresConnection.connect(configuration) })
        #expect(error.code == .connectFailed)
        #expect(error.isRetriable)
        #expect(error.message.contains("refused"), "\(error)")
        #expect(!error.message.contains("hunter2"), "\(error)")
    }
}
