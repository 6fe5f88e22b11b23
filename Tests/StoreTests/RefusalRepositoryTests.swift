import PostgresClient
import PushModel
import Store
import TestTraits
import Testing
import WorkerTestSupport

@Suite(.needsDatabase, .endsAHang)
struct RefusalRepositoryTests {
    private static let since = Timestamp(milliseconds: 1_700_000_000_000)

    private func refusal(_ credential: Credential.ID, topic: String? = nil, reason: String = "r") -> Refusal {
        Refusal(credential: credential, environment: .sandbox, topic: topic, reason: reason, since: Self.since)
    }

    @Test func listsRefusalsUntilEnded() async throws {
        try await TestDatabase.withMigrated { database in
            let credential = try await CredentialRepository(database.pool).importCredential(
                .sampleKey("f1", team: "TEAM000001"), keyring: .sample())
            let repository = RefusalRepository(database.pool)
            let whole = refusal(credential, reason: "InvalidProviderToken"), part = refusal(credential, topic: "a.b")
            try await repository.write([whole, part], ended: [], worker: "w")
            #expect(try await repository.list() == [whole, part])
            let odd = "UPDATE martlet.refusals SET since = $1::text::timestamptz WHERE topic = 'a.b'"
            try await database.pool.query(odd, [.text("-infinity")])
            #expect(try await Set(repository.list().map(\.topic)) == [nil, "a.b"], "a row without a time is listed")
            try await database.pool.query(odd, [.text("\(Self.since.rfc3339)")])
            // Another worker writes the same refusal again: the row is reused and keeps its start time.
            let later = Refusal(
                credential: credential, environment: .sandbox, topic: nil, reason: "Forbidden",
                since: Timestamp(milliseconds: 1_800_000_000_000))
            try await repository.write([later], ended: [part], worker: "v")
            #expect(try await repository.list() == [refusal(credential, reason: "Forbidden")])
            try await repository.write([part], ended: [], worker: "w")
            try await repository.remove(worker: "v")
            #expect(try await repository.list() == [part])
            try await repository.write([later], ended: [part], worker: "v")
            try await repository.write([], ended: [whole], worker: "w")
            #expect(try await repository.list().isEmpty)
        }
    }

    @Test func deletesRefusalsNotRenewed() async throws {
        try await TestDatabase.withMigrated { database in
            let credential = try await CredentialRepository(database.pool).importCredential(
                .sampleKey("f1", team: "TEAM000001"), keyring: .sample())
            let repository = RefusalRepository(database.pool)
            try await repository.write([refusal(credential)], ended: [], worker: "gone")
            try await database.pool.query(
                "UPDATE martlet.refusals SET last_refused_at = now() - interval '151 seconds'")
            #expect(try await repository.list().isEmpty)
            try await repository.write([], ended: [], worker: "another")
            #expect(try await database.pool.query("SELECT 1 AS one FROM martlet.refusals").isEmpty)
        }
    }

    @Test func ignoresRefusalOfDeletedCredential() async throws {
        try await TestDatabase.withMigrated { database in
            let repository = RefusalRepository(database.pool)
            try await repository.write(
                [refusal("00000000-0000-0000-0000-000000000000")], ended: [], worker: "w")
            #expect(try await repository.list().isEmpty)
        }
    }
}
