import CredentialStore
import PostgresClient
import Testing

@Suite(.enabled(if: TestDatabase.serverURL != nil, TestDatabase.missing), .timeLimit(.minutes(2)))
struct ClaimRepositoryTests {
    private static let first = "00000000-0000-0000-0000-000000000001"
    private static let second = "00000000-0000-0000-0000-000000000002"

    private func key(_ name: String) -> ClaimKey {
        ClaimKey(output: "apns", app: "com.example.shop", name: name, seconds: 3600)
    }

    @Test func whatSomebodyHasClaimedNobodyElseClaims() async throws {
        try await TestDatabase.withMigrated { database in
            let claims = ClaimRepository(database.pool)
            let keys = [key("a"), key("b"), key("a")]
            let claimed = try await claims.claim(keys, owner: Self.first)
            #expect(claimed == Set(keys))
            let others = try await claims.claim([key("a"), key("c")], owner: Self.second)
            #expect(others == [key("c")])
            let again = try await claims.claim(keys, owner: Self.first)
            #expect(again == Set(keys), "asked again, nothing being heard")
        }
    }

    @Test func whatIsOutOfDateCanBeClaimedAnewAndIsForgotten() async throws {
        try await TestDatabase.withMigrated { database in
            let claims = ClaimRepository(database.pool)
            _ = try await claims.claim([key("old"), key("older")], owner: Self.first)
            try await database.pool.query("UPDATE martlet.claims SET expires_at = now() - interval '1 second'")
            _ = try await claims.claim([key("young")], owner: Self.first)
            let second = try await claims.claim([key("old"), key("young")], owner: Self.second)
            #expect(second == [key("old")])
            let forgotten = try await claims.forgetExpired()
            #expect(forgotten == 1)
            let first = try await claims.claim([key("old"), key("young")], owner: Self.first)
            #expect(first == [key("young")])
        }
    }

    /// The connection was lost before the answer came, and the server is still at the first attempt when the second comes.
    @Test func anAttemptThatIsStillUnderWayIsTheSameOwners() async throws {
        try await TestDatabase.withMigrated { database in
            try await database.pool.query(
                """
                CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END $$
                """)
            try await database.pool.query(
                "CREATE TRIGGER hold_up AFTER INSERT ON martlet.claims FOR EACH ROW EXECUTE FUNCTION hold_up()")
            let claims = ClaimRepository(database.pool)
            let blocker = try await PostgresConnection.connect(database.configuration)
            try await blocker.query("SELECT pg_advisory_lock(7)")
            func waiting(for kind: String) async throws -> Bool {
                let sql = """
                    SELECT count(*)::text AS count FROM pg_locks JOIN pg_stat_activity USING (pid)
                    WHERE NOT granted AND locktype = $1 AND datname = current_database()
                    """
                return try await blocker.query(sql, [.text(kind)]).map { try $0["count"].text } == ["1"]
            }
            async let attempt = claims.claim([key("a")], owner: Self.first)
            try await eventually("the first attempt has inserted its row") { try await waiting(for: "advisory") }
            async let repeated = claims.claim([key("a")], owner: Self.first)
            try await eventually("the second attempt waits for the first") {
                try await waiting(for: "transactionid")
            }
            try await blocker.query("SELECT pg_advisory_unlock(7)")
            let (claimed, again) = try await (attempt, repeated)
            #expect(claimed == [key("a")] && again == [key("a")])
            let others = try await claims.claim([key("a")], owner: Self.second)
            #expect(others == [])
            await blocker.close()
        }
    }
}
