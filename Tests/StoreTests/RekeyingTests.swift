import Foundation
import PostgresClient
import PushModel
import Store
import TestTraits
import Testing
import Foundations
import WorkerTestSupport
import Routing
import RoutingTestSupport

@Suite(.needsDatabase, .endsAHang)
struct RekeyingTests {
    private static let oldLine = "old \(String(repeating: "A", count: 43))="
    private static let newLine = "new \(String(repeating: "B", count: 42))A="

    private func keyring(_ lines: String...) throws -> MasterKeyring {
        try MasterKeyring(text: lines.joined(separator: "\n"), source: "sample")
    }

    private func rekey(_ database: TestDatabase, _ keyring: MasterKeyring, dryRun: Bool = false) async throws
        -> Rekeying.Report
    {
        try await Rekeying(database.pool, keyring: keyring, isDryRun: dryRun).run()
    }

    private func token(_ database: TestDatabase, _ id: Credential.ID, _ keyring: MasterKeyring) async throws -> Secret {
        try await SharedTokenRepository(database.pool, keyring: keyring)
            .token(of: id, youngerThan: 25 * 60_000) { _ in Secret("JWT \(UInt64.random(in: 0 ... .max))".utf8) }.token
    }

    private func secrets(_ database: TestDatabase, _ keyring: MasterKeyring) async throws -> [String: Credential.Kind] {
        let store = try await SnapshotStore.load(from: database.pool, keyring: keyring, logger: database.logger)
        #expect(store.current.openingProblems == [])
        return Dictionary(
            uniqueKeysWithValues: try store.current.credentialSummaries.map { summary in
                let app = "\(summary.fingerprint).example"
                let route = store.current.route(app: app, environment: nil, topic: app)
                return (summary.fingerprint, try route.get().credential.kind)
            })
    }

    @Test func resealsEachRowOnceWithoutLoss() async throws {
        try await TestDatabase.withMigrated { database in
            let (old, both) = (try keyring(Self.oldLine), try keyring(Self.newLine, Self.oldLine))
            let credentials = CredentialRepository(database.pool)
            var ids: [Credential.ID] = []
            for number in 0..<250 {
                let team = "TEAM\(number)"
                ids.append(
                    try await credentials.importCredential(
                        .sampleKey("f\(number)", team: team, secret: "key \(number)"), keyring: old))
                try await AppRepository(database.pool).set(
                    App(bundleID: "f\(number).example", accounts: ["apns": AppAccount(team)]))
            }
            let jwt = try await token(database, ids[0], old)
            let issuedAt = try await database.pool.query("SELECT issued_at FROM martlet.provider_tokens")[0][
                "issued_at"
            ]
            .milliseconds
            try await AppRepository(database.pool).remove("f1.example")
            try await credentials.retire(ids[1])
            let before = try await secrets(database, old)

            let planned = try await rekey(database, both, dryRun: true)
            #expect(planned.resealed == 251 && planned.rows == 251 && planned.rowsByMasterKey == ["old": 251])
            #expect(try await secrets(database, old) == before, "a dry run must change nothing")

            let report = try await rekey(database, both)
            #expect(report.resealed == 251 && report.rows == 251 && report.problems == [], "\(report)")
            #expect(report.rowsByMasterKey == ["new": 251])
            #expect(try await secrets(database, keyring(Self.newLine)) == before)
            #expect(try await token(database, ids[0], keyring(Self.newLine)) == jwt, "the stored token must be kept")
            let kept = try await database.pool.query("SELECT issued_at FROM martlet.provider_tokens")[0]["issued_at"]
            #expect(try kept.milliseconds == issuedAt)

            let again = try await rekey(database, both)
            #expect(again.resealed == 0 && again.rows == 251 && again.rowsByMasterKey == ["new": 251], "\(again)")
        }
    }

    @Test func reportsUnopenableRowsAndResealsOthers() async throws {
        try await TestDatabase.withMigrated { database in
            let credentials = CredentialRepository(database.pool)
            let good = try await credentials.importCredential(.sampleKey("f1"), keyring: keyring(Self.oldLine))
            let swapped = try await credentials.importCredential(.sampleKey("f2"), keyring: keyring(Self.oldLine))
            let lost = try await credentials.importCredential(
                .sampleKey("f3"), keyring: .sample("lost", fill: "C"))
            try await database.pool.query(
                "UPDATE martlet.credentials SET account = 'TEAM000009' WHERE id = $1", [.text(swapped)])
            let report = try await rekey(database, keyring(Self.newLine, Self.oldLine))
            #expect(report.resealed == 1)
            #expect(report.rowsByMasterKey == ["new": 1, "old": 1, "lost": 1])
            #expect(
                Set(report.problems) == [
                    StoreError(
                        .missingMasterKey,
                        "martlet.credentials row \(lost) is sealed under master key lost, which is not in the keyring"),
                    StoreError(
                        .sealBroken,
                        "martlet.credentials row \(swapped) cannot be opened with master key old, so the key or the row was changed"
                    ),
                ])
            let store = try await SnapshotStore.load(
                from: database.pool, keyring: keyring(Self.newLine), logger: database.logger)
            #expect(store.current.credentialIDs == [good])
        }
    }

    /// A token that is too old to use must not require its master key.
    @Test func deletesTokensThatAreTooOld() async throws {
        try await TestDatabase.withMigrated { database in
            let id = try await CredentialRepository(database.pool).importCredential(
                .sampleKey("f1"), keyring: keyring(Self.newLine))
            _ = try await token(database, id, .sample("lost", fill: "C"))
            #expect(try await rekey(database, keyring(Self.newLine)).problems.count == 1)
            try await database.pool.query("UPDATE martlet.provider_tokens SET issued_at = now() - interval '121 min'")
            #expect(try await rekey(database, keyring(Self.newLine), dryRun: true).problems.count == 1)
            let report = try await rekey(database, keyring(Self.newLine))
            #expect(report.problems == [] && report.rowsByMasterKey == ["new": 1], "\(report)")
        }
    }

    private final class Scene: Sendable {
        let isOver = Mutex(false)
        let newest = Mutex<Secret?>(nil)
    }

    /// Tokens are created and credentials imported under both keys while the master key changes back and forth.
    @Test func keepsRowsWrittenDuringRekeying() async throws {
        try await TestDatabase.withMigrated { database in
            let (old, new) = (
                try keyring(Self.oldLine, Self.newLine), try keyring(Self.newLine, Self.oldLine)
            )
            let credentials = CredentialRepository(database.pool)
            let id = try await credentials.importCredential(.sampleKey("f", secret: "key f"), keyring: old)
            let scene = Scene()
            let imported = try await withThrowingTaskGroup(of: Int.self) { group in
                // With a negative maximum age, every token is too old, so each call creates a new one.
                group.addTask {
                    var count = 0
                    while !scene.isOver.withLock({ $0 }) {
                        let keyring = count % 2 == 0 ? old : new
                        let token = try await SharedTokenRepository(database.pool, keyring: keyring)
                            .token(of: id, youngerThan: -1) { _ in Secret("JWT \(UInt64.random(in: 0 ... .max))".utf8) }
                            .token
                        scene.newest.withLock { $0 = token }
                        let stored = try await SharedTokenRepository(database.pool, keyring: keyring)
                            .token(of: id, youngerThan: .max) { _ in Secret([]) }.token
                        #expect(stored == token, "a newer token was replaced by an older one")
                        count += 1
                    }
                    return 0
                }
                group.addTask {
                    var count = 0
                    while !scene.isOver.withLock({ $0 }), count < 100 {
                        let keyring = count % 2 == 0 ? old : new
                        _ = try await credentials.importCredential(
                            .sampleKey("i\(count)", secret: "key i\(count)"), keyring: keyring)
                        count += 1
                    }
                    return count
                }
                group.addTask {
                    for round in 0..<12 {
                        let report = try await rekey(database, round % 2 == 0 ? new : old)
                        #expect(report.problems == [])
                    }
                    scene.isOver.withLock { $0 = true }
                    return 0
                }
                return try await group.reduce(0, +)
            }
            #expect(imported > 0)
            let report = try await rekey(database, new)
            #expect(report.problems == [] && report.rowsByMasterKey == ["new": imported + 2], "\(report)")
            let stored = try await SharedTokenRepository(database.pool, keyring: keyring(Self.newLine))
                .token(of: id, youngerThan: .max) { _ in Secret([]) }.token
            #expect(stored == scene.newest.withLock { $0 })
        }
    }
}
