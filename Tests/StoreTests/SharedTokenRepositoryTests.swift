import PostgresClient
import PushModel
import Store
import TestTraits
import Testing
import Foundations
import WorkerTestSupport

@Suite(.needsDatabase, .endsAHang)
struct SharedTokenRepositoryTests {
    private static let minute: Int64 = 60_000
    private static let age = 25 * minute

    /// A clock that tests move, and the times of issue of all signed tokens.
    private final class Fleet: Sendable {
        private let time = Mutex(Timestamp(seconds: 1_795_168_800))
        private let made = Mutex<[Timestamp]>([])

        var now: Timestamp { time.withLock { $0 } }
        var signed: [Timestamp] { made.withLock { $0 } }
        func advance(_ milliseconds: Int64) {
            time.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + milliseconds) }
        }
        func sign(_ issuedAt: Timestamp) -> Secret {
            made.withLock { $0.append(issuedAt) }
            return Secret("SIGNED \(issuedAt.milliseconds) \(UInt64.random(in: 0 ... .max))".utf8)
        }
    }

    private let fleet = Fleet()

    private func importKey(
        _ fingerprint: String, into database: TestDatabase, team: String = "TEAM000001"
    ) async throws -> Credential.ID {
        try await CredentialRepository(database.pool).importCredential(
            .sampleKey(fingerprint, team: team), keyring: .sample())
    }

    private func repository(_ database: TestDatabase, keyring: MasterKeyring? = nil) throws -> SharedTokenRepository {
        SharedTokenRepository(
            database.pool, keyring: try keyring ?? .sample(), now: { [fleet] in fleet.now })
    }

    private func ask(
        _ repository: SharedTokenRepository, _ id: Credential.ID, youngerThan age: Int64 = age
    ) async throws -> SharedToken {
        try await repository.token(of: id, youngerThan: age) { [fleet] in fleet.sign($0) }
    }

    @Test func signsTokenOnceAndSharesTokenUntilOld() async throws {
        try await TestDatabase.withMigrated { database in
            let id = try await importKey("f1", into: database)
            let start = fleet.now
            let first = try await ask(try repository(database), id)
            #expect(first.age == 0 && first.issuedAt == start)
            fleet.advance(Self.age - 1)
            // A new repository acts like another worker, or like the same worker after a restart.
            let known = try await ask(try repository(database), id)
            #expect(known.token == first.token)
            #expect(known.age == Self.age - 1 && known.issuedAt == start)
            fleet.advance(1)
            let second = try await ask(try repository(database), id)
            #expect(second.token != first.token && second.age == 0)
            #expect(fleet.signed == [start, fleet.now])
            #expect(try await database.pool.query("SELECT 1 FROM martlet.provider_tokens").count == 1)
        }
    }

    /// An invalid token is replaced even if its row belongs to a retired key.
    @Test(arguments: ["issued_at = 'infinity'", "issued_at = '-infinity'", "sealed_token = '\\x00'"])
    func replacesInvalidToken(change: String) async throws {
        try await TestDatabase.withMigrated { database in
            let old = try await importKey("f1", into: database)
            let first = try await ask(try repository(database), old)
            try await CredentialRepository(database.pool).retire(old)
            let id = try await importKey("f1", into: database)
            try await database.pool.query("UPDATE martlet.provider_tokens SET \(change)")
            let second = try await ask(try repository(database), id)
            #expect(second.token != first.token)
            #expect(try await ask(try repository(database), id).token == second.token)
            #expect(try await ask(try repository(database), old).token == second.token)
        }
    }

    @Test func storesTokenSealed() async throws {
        try await TestDatabase.withMigrated { database in
            let id = try await importKey("f1", into: database)
            _ = try await ask(try repository(database), id)
            let row = try await database.pool.query(
                "SELECT sealed_token, master_key_id FROM martlet.provider_tokens WHERE credential::text = $1",
                [.text(id)])[0]
            #expect(try row["master_key_id"].text == "2026-11")
            let bytes = try row["sealed_token"].bytes
            #expect(!String(decoding: bytes, as: UTF8.self).contains("SIGNED"))
        }
    }

    /// In each of 200 rounds, the token is due and two connections request it at the same moment.
    @Test func signsOneTokenForConcurrentRequests() async throws {
        try await TestDatabase.withMigrated { database in
            let id = try await importKey("f1", into: database)
            let other = PostgresPool(database.configuration, logger: database.logger)
            defer { other.close() }
            let racers = try [
                repository(database),
                SharedTokenRepository(other, keyring: .sample(), now: { [fleet] in fleet.now }),
            ]
            for round in 1...200 {
                let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
                    for racer in racers { group.addTask { try await ask(racer, id).token } }
                    return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
                }
                #expect(tokens.count == 1)
                #expect(fleet.signed.count == round)
                fleet.advance(Self.age)
            }
        }
    }

    @Test func usesClockOfDatabase() async throws {
        try await TestDatabase.withMigrated { database in
            let id = try await importKey("f1", into: database)
            let repository = SharedTokenRepository(database.pool, keyring: try .sample())
            let before = Timestamp.now
            let first = try await ask(repository, id)
            // The database and the test run on the same machine.
            #expect((before.milliseconds...Timestamp.now.milliseconds).contains(first.issuedAt.milliseconds))
            try await database.pool.query(
                "UPDATE martlet.provider_tokens SET issued_at = issued_at - interval '15 min'")
            let aged = try await ask(repository, id)
            #expect(aged.token == first.token)
            let passed = Timestamp.now.milliseconds - before.milliseconds
            #expect((15 * Self.minute...15 * Self.minute + passed).contains(aged.age), "\(aged.age)")
            try await database.pool.query(
                "UPDATE martlet.provider_tokens SET issued_at = issued_at - interval '10 min'")
            #expect(try await ask(repository, id).token != first.token)
        }
    }

    @Test func keepsTokenIfClockIsSetBackSlightly() async throws {
        try await TestDatabase.withMigrated { database in
            let id = try await importKey("f1", into: database)
            let repository = try repository(database)
            let first = try await ask(repository, id)
            fleet.advance(-24 * Self.minute)
            let known = try await ask(repository, id)
            #expect(known.token == first.token && known.age == 0)
            fleet.advance(-Self.minute)
            #expect(try await ask(repository, id).token != first.token, "a clock set back must renew the token")
        }
    }

    /// The keyring lacks the key that sealed the token. The token must still be replaced only when it is due.
    @Test(arguments: [("2027-01", "B", "missing master key"), ("2026-11", "B", "seal broken")])
    func replacesUnopenableTokenOnlyWhenDue(keyID: String, fill: String, code: String) async throws {
        try await TestDatabase.withMigrated { database in
            let id = try await importKey("f1", into: database)
            _ = try await ask(try repository(database), id)
            let other = try repository(database, keyring: .sample(keyID, fill: fill))
            fleet.advance(Self.age - 1)
            let error = await #expect(throws: StoreError.self) { try await ask(other, id) }
            #expect(error?.code.description == code)
            #expect(error?.message.contains("master key 2026-11") == true)
            #expect(error?.message.contains("martlet.provider_tokens row \(id)") == true)
            #expect(fleet.signed.count == 1)
            fleet.advance(1)
            _ = try await ask(other, id)
            #expect(fleet.signed.count == 2)
        }
    }

    @Test func sharesTokenOfReimportedKey() async throws {
        try await TestDatabase.withMigrated { database in
            let old = try await importKey("f1", into: database)
            let token = try await ask(try repository(database), old).token
            try await CredentialRepository(database.pool).retire(old)
            let new = try await importKey("f1", into: database)
            fleet.advance(Self.age - 1)
            #expect(try await ask(try repository(database), new).token == token)
            fleet.advance(1)
            let next = try await ask(try repository(database), new).token
            #expect(next != token)
            #expect(try await ask(try repository(database), old).token == next, "the retired id shares the token")
        }
    }

    /// A key that was imported with the wrong team signs tokens that Apple rejects. The correct credential must not
    /// share them.
    @Test func keepsTokensOfOtherKeysAndTeamsApart() async throws {
        try await TestDatabase.withMigrated { database in
            let mistaken = try await importKey("f1", into: database, team: "TEAM000009")
            let token = try await ask(try repository(database), mistaken).token
            try await CredentialRepository(database.pool).retire(mistaken)
            for fingerprint in ["f1", "f2"] {
                let id = try await importKey(fingerprint, into: database)
                #expect(try await ask(try repository(database), id).token != token)
            }
        }
    }

    /// A secret of an output also produces tokens, but it has no key id.
    @Test func sharesTokensOfSecret() async throws {
        try await TestDatabase.withMigrated { database in
            let secret = NewCredential(
                kind: .secret(Secret("an account".utf8)), account: "shop-1", environments: [.production],
                topics: [], fingerprint: "s1", label: "account")
            func imported() async throws -> Credential.ID {
                try await CredentialRepository(database.pool).importCredential(secret, of: "pigeon", keyring: .sample())
            }
            let first = try await imported()
            let token = try await ask(try repository(database), first).token
            try await CredentialRepository(database.pool).retire(first)
            #expect(try await ask(try repository(database), try await imported()).token == token)
        }
    }

    @Test func rejectsUnknownCredential() async throws {
        try await TestDatabase.withMigrated { database in
            let id = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
            let error = await #expect(throws: StoreError.self) { try await ask(try repository(database), id) }
            #expect(error == StoreError(.notFound, "there is no token credential \(id)"))
            #expect(fleet.signed.isEmpty)
        }
    }

    @Test func keepsOldTokenIfSigningFails() async throws {
        struct Broken: Error {}
        try await TestDatabase.withMigrated { database in
            let id = try await importKey("f1", into: database)
            let token = try await ask(try repository(database), id).token
            fleet.advance(Self.age)
            await #expect(throws: Broken.self) {
                try await repository(database).token(of: id, youngerThan: Self.age) { _ in throw Broken() }
            }
            #expect(try await ask(try repository(database), id, youngerThan: 2 * Self.age).token == token)
        }
    }
}
