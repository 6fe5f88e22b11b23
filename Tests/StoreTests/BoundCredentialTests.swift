import Logging
import PostgresClient
import PushModel
import Store
import TestTraits
import Testing
import WorkerTestSupport
import Routing

/// Credentials of an account whose addresses work with only one key.
@Suite(.needsDatabase, .endsAHang)
struct BoundCredentialTests {
    private static let output = "webpush"

    private static func key(_ name: String, account: String = "shop", secret: String? = nil) -> NewCredential {
        NewCredential(
            kind: .secret(Secret((secret ?? "secret of \(name)").utf8)), account: account, environments: [.production],
            topics: [], fingerprint: name, label: "key \(name)")
    }

    private func add(_ new: NewCredential, to database: TestDatabase) async throws -> BoundImport {
        try await CredentialRepository(database.pool).importBoundCredential(
            new, of: Self.output, keyring: try MasterKeyring.sample())
    }

    /// Adds a new key and returns its id.
    private func added(_ new: NewCredential, to database: TestDatabase) async throws -> Credential.ID {
        let result = try await add(new, to: database)
        guard case .added(let id) = result else { throw StoreError(.conflict, "\(result)") }
        return id
    }

    @Test func rejectsSecondKeyOfAccount() async throws {
        try await TestDatabase.withMigrated { database in
            let first = try await added(Self.key("f1"), to: database)
            let refused = await #expect(throws: StoreError.self) { try await add(Self.key("f2"), to: database) }
            #expect(refused?.code == .conflict)
            #expect(
                refused?.message.hasPrefix("shop has the key \(first) (key f1) in use") == true,
                "\(refused?.message ?? "")")
            _ = try await added(Self.key("f2", account: "news"), to: database)
        }
    }

    @Test func addsSameKeyOnlyOnce() async throws {
        try await TestDatabase.withMigrated { database in
            let first = try await added(Self.key("f1"), to: database)
            #expect(try await add(Self.key("f1"), to: database) == .unchanged(first))
            for other in [Self.key("f1", secret: "another subject"), Self.key("f1", account: "news")] {
                let refused = await #expect(throws: StoreError.self) { try await add(other, to: database) }
                #expect(refused?.message.hasPrefix("this key is already credential \(first) of shop") == true)
            }
            #expect(try await CredentialRepository(database.pool).list().count == 1)
        }
    }

    @Test func addsRetiredKeyAgainUnlessAnotherIsInUse() async throws {
        try await TestDatabase.withMigrated { database in
            let credentials = CredentialRepository(database.pool)
            let old = try await added(Self.key("old"), to: database)
            try await credentials.retire(old, boundOutputs: [Self.output])
            let again = try await added(Self.key("old"), to: database)
            #expect(again != old)
            try await credentials.retire(again, boundOutputs: [Self.output])
            _ = try await add(Self.key("new"), to: database)
            await #expect(throws: StoreError.self) { try await add(Self.key("old"), to: database) }
        }
    }

    @Test func addsOnlyOneOfConcurrentKeys() async throws {
        try await TestDatabase.withMigrated { database in
            let added = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        guard case .added = try? await add(Self.key("f\(number)"), to: database) else { return false }
                        return true
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            let stored = try await CredentialRepository(database.pool).list()
            #expect(added == 1 && stored.count == 1)
        }
    }

    @Test func keepsOnlyKeyOfAppInUse() async throws {
        try await TestDatabase.withMigrated { database in
            let credentials = CredentialRepository(database.pool)
            let id = try await added(Self.key("f1"), to: database)
            try await AppRepository(database.pool).set(
                App(bundleID: "com.example.shop", accounts: [Self.output: AppAccount("shop")]))
            let refused = await #expect(throws: StoreError.self) {
                try await credentials.retire(id, boundOutputs: [Self.output])
            }
            #expect(refused?.code == .conflict)
            #expect(refused?.message.contains("the only key for the addresses of com.example.shop") == true)
            // `importCredential` adds a second key, as if it had been imported before this rule existed. One of the two
            // keys can then be retired.
            let second = try await credentials.importCredential(
                Self.key("f2"), of: Self.output, keyring: try MasterKeyring.sample())
            try await credentials.retire(second, boundOutputs: [Self.output])
            try await credentials.retire(id)
            #expect(try await credentials.list().allSatisfy { $0.state == .retired })
        }
    }

    @Test func changesSecretAndKeepsKey() async throws {
        try await TestDatabase.withMigrated { database in
            let keyring = try MasterKeyring.sample()
            let credentials = CredentialRepository(database.pool)
            let id = try await added(Self.key("f1"), to: database)
            try await credentials.change(id, keyring: keyring) { summary, old in
                #expect(summary.id == id && old.kind == .secret(Secret("secret of f1".utf8)))
                var new = Self.key("f1", secret: "another subject")
                new.label = "changed"
                return new
            }
            let snapshot = try await SnapshotStore.load(
                from: database.pool, keyring: keyring, logger: .init(label: "test")
            ).current
            let opened = try snapshot.opened(id)?.get().kind
            #expect(opened == .secret(Secret("another subject".utf8)))
            #expect(try await credentials.list().map(\.label) == ["changed"])
            let entry = try #require(try await AuditRepository(database.pool).list(limit: 1).first)
            #expect(entry.operation == "update" && entry.object == id)
            #expect(Set(entry.changes.map(\.column)) == ["label", "sealed_secret"])
            #expect(entry.changes.allSatisfy { $0.column != "sealed_secret" || ($0.old == nil && $0.new == nil) })

            let otherKey = await #expect(throws: StoreError.self) {
                try await credentials.change(id, keyring: keyring) { _, _ in Self.key("f2") }
            }
            #expect(otherKey?.code == .invalidField)
            try await credentials.retire(id)
            let retired = await #expect(throws: StoreError.self) {
                try await credentials.change(id, keyring: keyring) { _, _ in Self.key("f1") }
            }
            #expect(retired?.code == .notFound)
        }
    }
}
