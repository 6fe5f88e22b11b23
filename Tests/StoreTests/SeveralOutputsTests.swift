import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing

/// Tests of accounts and credentials of several outputs.
@Suite(.needsDatabase, .endsAHang)
struct SeveralOutputsTests {
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
