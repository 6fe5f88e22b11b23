import PostgresClient
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

@Suite(.needsDatabase, .endsAHang)
struct ClaimRepositoryTests {
    private static let first = "00000000-0000-0000-0000-000000000001"
    private static let second = "00000000-0000-0000-0000-000000000002"

    private func key(_ name: String) -> ClaimKey {
        ClaimKey(output: "apns", app: "com.example.shop", name: name, seconds: 3600)
    }

    private func claim(
        _ claims: ClaimRepository, _ keys: [ClaimKey], owner: String
    ) async throws -> Set<ClaimKey> {
        let answers = try await claims.claim(keys.map { ClaimRequest(key: $0, owner: owner) })
        return Set(zip(keys, answers).filter { $0.1 == .claimed }.map(\.0))
    }

    @Test func grantsClaimToOneOwnerOnly() async throws {
        try await TestDatabase.withMigrated { database in
            let claims = ClaimRepository(database.pool)
            let keys = [key("a"), key("b"), key("a")]
            let claimed = try await claim(claims, keys, owner: Self.first)
            #expect(claimed == Set(keys))
            let others = try await claim(claims, [key("a"), key("c")], owner: Self.second)
            #expect(others == [key("c")])
            let again = try await claim(claims, keys, owner: Self.first)
            #expect(again == Set(keys), "an owner that repeats its claim must get it again")
        }
    }

    @Test func reclaimsAndDeletesExpiredClaims() async throws {
        try await TestDatabase.withMigrated { database in
            let claims = ClaimRepository(database.pool)
            _ = try await claim(claims, [key("old"), key("older")], owner: Self.first)
            try await database.pool.query("UPDATE martlet.claims SET expires_at = now() - interval '1 second'")
            _ = try await claim(claims, [key("young")], owner: Self.first)
            let second = try await claim(claims, [key("old"), key("young")], owner: Self.second)
            #expect(second == [key("old")])
            let forgotten = try await claims.forgetExpired()
            #expect(forgotten == 1)
            let first = try await claim(claims, [key("old"), key("young")], owner: Self.first)
            #expect(first == [key("young")])
        }
    }

    /// The client loses its connection and repeats the claim while the server still executes the first attempt.
    @Test func grantsRepeatedClaimWhileFirstIsRunning() async throws {
        try await TestDatabase.withMigrated { database in
            try await database.pool.query(
                """
                CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END $$
                """)
            try await database.pool.query(
                "CREATE TRIGGER hold_up AFTER INSERT ON martlet.claims FOR EACH ROW EXECUTE FUNCTION hold_up()")
            let pool = database.patientPool()
            defer { pool.close() }
            let claims = ClaimRepository(pool)
            let blocker = try await PostgresConnection.connect(database.configuration)
            try await blocker.query("SELECT pg_advisory_lock(7)")
            func waiting(for kind: String) async throws -> Bool {
                let sql = """
                    SELECT count(*)::text AS count FROM pg_locks JOIN pg_stat_activity USING (pid)
                    WHERE NOT granted AND locktype = $1 AND datname = current_database()
                    """
                return try await blocker.query(sql, [.text(kind)]).map { try $0["count"].text } == ["1"]
            }
            async let attempt = claim(claims, [key("a")], owner: Self.first)
            try await eventually("the first attempt has inserted its row") { try await waiting(for: "advisory") }
            async let repeated = claim(claims, [key("a")], owner: Self.first)
            try await eventually("the second attempt waits for the first") {
                try await waiting(for: "transactionid")
            }
            try await blocker.query("SELECT pg_advisory_unlock(7)")
            let (claimed, again) = try await (attempt, repeated)
            #expect(claimed == [key("a")] && again == [key("a")])
            let others = try await claim(claims, [key("a")], owner: Self.second)
            #expect(others == [])
            await blocker.close()
        }
    }

    /// A request for a claimed id with different content gets `.differs`, even within one statement. After the claim
    /// has expired, another owner can claim the id with its own content.
    @Test func detectsOtherContentUnderSameName() async throws {
        try await TestDatabase.withMigrated { database in
            let claims = ClaimRepository(database.pool)
            func request(_ content: String?, owner: String) -> ClaimRequest {
                ClaimRequest(key: key("a"), content: content.map { JobContent(Array($0.utf8)) }, owner: owner)
            }
            let answers = try await claims.claim([
                request("one", owner: Self.first), request("two", owner: Self.second),
                request("one", owner: Self.second),
            ])
            #expect(answers == [.claimed, .differs, .taken])
            let later = try await claims.claim([request("two", owner: Self.second), request("one", owner: Self.first)])
            #expect(later == [.differs, .claimed], "the owner must get its claim in any position")
            try await database.pool.query("UPDATE martlet.claims SET content = NULL")
            let answer1 = try await claims.claim([request("two", owner: Self.second)])
            #expect(answer1 == [.taken], "a claim without content must match every content")
            try await database.pool.query("UPDATE martlet.claims SET expires_at = now() - interval '1 second'")
            let answer2 = try await claims.claim([request("two", owner: Self.second)])
            #expect(answer2 == [.claimed])
            let answer3 = try await claims.claim([request("one", owner: Self.first)])
            #expect(answer3 == [.differs])
        }
    }

    /// A message that waits in the broker carries its claim with it. If it is duplicated, only one copy takes over the
    /// claim.
    @Test func passesClaimToOneSuccessorOnly() async throws {
        try await TestDatabase.withMigrated { database in
            let claims = ClaimRepository(database.pool)
            func answer(_ owner: String, after predecessor: String?) async throws -> [ClaimAnswer] {
                try await claims.claim([ClaimRequest(key: key("a"), owner: owner, predecessor: predecessor)])
            }
            let third = "00000000-0000-0000-0000-000000000003"
            let answer4 = try await answer(Self.first, after: nil)
            #expect(answer4 == [.claimed])
            let answer5 = try await answer(Self.second, after: Self.first)
            #expect(answer5 == [.claimed])
            let answer6 = try await answer(third, after: Self.first)
            #expect(answer6 == [.taken])
            let answer7 = try await answer(Self.second, after: Self.first)
            #expect(answer7 == [.claimed], "a successor that repeats its claim must get it again")
            let both = try await claims.claim([
                ClaimRequest(key: key("a"), owner: Self.first),
                ClaimRequest(key: key("a"), owner: third, predecessor: Self.second),
            ])
            #expect(both == [.taken, .claimed], "a stale copy in the same batch must not get the claim")
        }
    }
}
