import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Tests of the migration from the last schema with a single output, with rows of every kind, to several outputs.
@Suite(.needsDatabase, .endsAHang)
struct OutputsMigrationTests {
    private static let key = "11111111-1111-4111-8111-111111111111"
    private static let certificate = "22222222-2222-4222-8222-222222222222"
    private static let retired = "33333333-3333-4333-8333-333333333333"
    private static let team = "TEAM000001"

    /// Inserts a credential, sealed as by the last version with a single output.
    private func insert(
        _ id: String, _ kind: String, keyID: String?, topics: [String], state: String, _ keyring: MasterKeyring,
        _ database: TestDatabase
    ) async throws {
        let sealed = try keyring.seal(
            Secret("secret of \(id)".utf8),
            for: SealedRow(
                table: "martlet.credentials", id: id, kind: kind, names: [Self.team, keyID ?? "", "f-\(id)"]))
        try await database.pool.query(
            """
            INSERT INTO martlet.credentials (id, kind, team, key_id, environments, topics, certificate_chain,
                sealed_secret, master_key_id, state, fingerprint, label)
            VALUES ($1, $2, $3, $4, '{production,sandbox}', $5, $6, $7, $8, $9, $10, 'a label')
            """,
            [
                .text(id), .text(kind), .text(Self.team), .text(keyID), .textArray(topics),
                .byteaArray(kind == "certificate" ? [[1, 2], [3]] : []), .bytea(sealed.bytes),
                .text(sealed.masterKeyID), .text(state), .text("f-\(id)"),
            ])
    }

    private func fill(_ database: TestDatabase, _ keyring: MasterKeyring) async throws {
        try await insert(Self.key, "token", keyID: "KEY0000001", topics: [], state: "active", keyring, database)
        try await insert(
            Self.certificate, "certificate", keyID: nil, topics: ["com.example.news"], state: "active", keyring,
            database)
        try await insert(Self.retired, "token", keyID: "KEY0000002", topics: [], state: "retired", keyring, database)
        let token = try keyring.seal(
            Secret("a signed token".utf8), for: SealedRow(table: "martlet.provider_tokens", id: Self.key, kind: "jwt"))
        try await database.pool.query(
            "INSERT INTO martlet.provider_tokens VALUES ($1, $2, $3, now())",
            [.text(Self.key), .bytea(token.bytes), .text(token.masterKeyID)])
        for sql in [
            "INSERT INTO martlet.apps (bundle_id, team) VALUES ('com.example.shop', '\(Self.team)')",
            """
            INSERT INTO martlet.apps (bundle_id, team, default_environment, credential, allowed_publishers, paused)
            VALUES ('com.example.news', '\(Self.team)', 'sandbox', '\(Self.certificate)', '{backend}', true)
            """,
            """
            INSERT INTO martlet.refusals (credential, environment, reason, since, worker)
            VALUES ('\(Self.key)', 'production', 'InvalidProviderToken', now(), 'push-7')
            """,
            "SELECT martlet.register_token('com.example.shop', '<AA 01>')",
            "INSERT INTO martlet.claims (key, owner, expires_at) VALUES (gen_random_uuid(), gen_random_uuid(), now())",
            "SELECT martlet.cancel_job('order-1')",
        ] { try await database.pool.query(sql) }
    }

    private static let kept = ["device_tokens", "claims", "cancelled_jobs", "refusals", "provider_tokens"]

    private func rows(_ database: TestDatabase) async throws -> [String] {
        var rows: [String] = []
        for table in Self.kept {
            // The column of a later migration is left out.
            rows += try await database.pool.query(
                "SELECT (to_jsonb(t) - 'address')::text AS row FROM martlet.\(table) AS t ORDER BY 1"
            ).map { "\(table) \(try $0["row"].text)" }
        }
        return rows
    }

    @Test func migrationKeepsRowsOfEveryKind() async throws {
        try await TestDatabase.withMigrated(before: 10) { database in
            let keyring = try MasterKeyring.sample()
            try await fill(database, keyring)
            try await database.pool.query(
                "ALTER TABLE martlet.credentials ADD CONSTRAINT ours CHECK (cardinality(topics) < 100)")
            let kept = try await rows(database)
            #expect(kept.count == Self.kept.count, "\(kept)")
            let audited = try await AuditRepository(database.pool).list(limit: 100).count

            try await database.migrate()

            #expect(try await rows(database) == kept)
            let checks = try await database.pool.query(
                """
                SELECT conname FROM pg_constraint WHERE conrelid = 'martlet.credentials'::regclass AND contype = 'c'
                    AND pg_get_constraintdef(oid) LIKE '%topics%' ORDER BY 1
                """
            ).map { try $0["conname"].text }
            #expect(checks == ["credentials_topics_check", "ours"])
            #expect(try await AuditRepository(database.pool).list(limit: 100).count == audited)
            #expect(
                try await AppRepository(database.pool).list() == [
                    App(
                        bundleID: "com.example.news",
                        accounts: ["apns": AppAccount(Self.team, credential: Self.certificate)],
                        defaultEnvironment: .sandbox, allowedPublishers: ["backend"], isPaused: true),
                    App(bundleID: "com.example.shop", accounts: ["apns": AppAccount(Self.team)]),
                ])
            let credentials = try await CredentialRepository(database.pool).list()
            #expect(Set(credentials.map(\.id)) == [Self.key, Self.certificate, Self.retired])
            #expect(credentials.allSatisfy { $0.output == "apns" && $0.account == Self.team })

            let snapshot = try await SnapshotStore.load(
                from: database.pool, keyring: keyring, logger: database.logger
            ).current
            #expect(snapshot.openingProblems == [])
            let route = try snapshot.route(app: "com.example.shop", environment: nil, topic: "com.example.shop").get()
            #expect(
                route.credential.kind
                    == .token(keyID: "KEY0000001", privateKeyPEM: Secret("secret of \(Self.key)".utf8)))
            let shared = try await SharedTokenRepository(database.pool, keyring: keyring)
                .token(of: Self.key, youngerThan: 3_600_000) { _ in Secret("another".utf8) }
            #expect(shared.token == Secret("a signed token".utf8))
            let rekeyed = try await Rekeying(database.pool, keyring: keyring, isDryRun: true).run()
            #expect(rekeyed.problems == [] && rekeyed.rows == 4)
        }
    }

    /// A secret is bound to its output, so that no other output can use it.
    @Test func rejectsCredentialMovedToAnotherOutput() async throws {
        try await TestDatabase.withMigrated { database in
            let keyring = try MasterKeyring.sample()
            let repository = CredentialRepository(database.pool)
            let ids = [
                try await repository.importCredential(.sampleKey("f1"), keyring: keyring),
                try await repository.importCredential(.sampleKey("f1"), of: "pigeon", keyring: keyring),
            ]
            func problems() async throws -> Int {
                try await SnapshotStore.load(from: database.pool, keyring: keyring, logger: database.logger)
                    .current.openingProblems.count
            }
            #expect(try await problems() == 0)
            let rekeyed = try await Rekeying(database.pool, keyring: keyring, isDryRun: true).run()
            #expect(rekeyed.problems == [])
            for (id, output) in zip(ids, ["falcon", "dove"]) {
                try await database.pool.query(
                    "UPDATE martlet.credentials SET output = $2 WHERE id = $1", [.text(id), .text(output)])
            }
            #expect(try await problems() == 2)
        }
    }

    /// For each of its outputs, an app gets the credential of its account there and no other.
    @Test func routesToCredentialOfEachOutput() throws {
        let (apns, pigeon) = (
            OutputAccounts(name: "apns", accountName: "team"), OutputAccounts(name: "pigeon", accountName: "loft")
        )
        func credential(_ id: String, _ output: String, _ account: String) -> SnapshotCredential {
            let summary = CredentialSummary(
                id: id, output: output, kind: .secret, account: account, keyID: nil,
                environments: [.production], topics: [], notBefore: nil, notAfter: nil, state: .active,
                fingerprint: id, label: id, masterKeyID: "2026-11", createdAt: Timestamp(seconds: 0))
            return SnapshotCredential(
                summary: summary,
                opened: .success(
                    Credential(
                        id: id, output: output, kind: .secret(Secret([1])), account: account,
                        environments: [.production])))
        }
        let snapshot = Snapshot(
            apps: [
                App(bundleID: "both", accounts: ["apns": AppAccount("A"), "pigeon": AppAccount("A")]),
                App(bundleID: "one", accounts: ["apns": AppAccount("A")]),
            ],
            credentials: [credential("key", "apns", "A"), credential("ring", "pigeon", "A")])
        func chosen(_ app: String, _ output: OutputAccounts, named: String? = nil) -> Result<String, RoutingFailure> {
            snapshot.route(
                app: app, with: output, environment: nil, need: CredentialNeed(topic: "t"), named: named,
                at: Timestamp(seconds: 1)
            ).map(\.credential.id)
        }
        #expect(chosen("both", apns) == .success("key"))
        #expect(chosen("both", pigeon) == .success("ring"))
        #expect(chosen("one", pigeon) == .failure(.noCredential(explanation: "app one has no loft for pigeon")))
        #expect(
            chosen("both", apns, named: "ring")
                == .failure(.unsuitable(explanation: "ring is for output pigeon")))
    }
}
