import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing

@Suite(.needsDatabase, .endsAHang)
struct DeviceTokenRegistryTests {
    private func key(_ token: String, app: String = "com.example.shop") -> DeviceTokenKey {
        DeviceTokenKey(output: "apns", app: app, environment: .production, form: .hex(maximumDigits: 512), token: token)
    }

    private func mark(
        _ token: String, at milliseconds: Int64, registeredAt: Int64? = nil, reason: String = "Unregistered"
    ) -> TokenMark {
        TokenMark(
            key: key(token), unregisteredAt: Timestamp(milliseconds: milliseconds), reason: reason,
            registeredAt: registeredAt.map { Timestamp(milliseconds: $0) })
    }

    private func registration(_ token: String, at milliseconds: Int64) -> TokenRegistration {
        TokenRegistration(key: key(token), registeredAt: Timestamp(milliseconds: milliseconds))
    }

    private func withRegistry(_ body: (DeviceTokenRegistry) async throws -> Void) async throws {
        try await TestDatabase.withMigrated { database in
            try await AppRepository(database.pool).set(
                App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")]))
            try await body(DeviceTokenRegistry(database.pool))
        }
    }

    @Test func addsUnknownTokenAsDead() async throws {
        try await withRegistry { registry in
            #expect(try await registry.mark([mark("AB12", at: 1_000)]) == 1)
            let token = try #require(
                try await registry.show(token: "ab12", output: "apns", form: .hex(maximumDigits: 512)).first)
            #expect(token.key.token == "ab12")
            #expect(token.unregisteredAt == Timestamp(milliseconds: 1_000))
            #expect(token.reason == "Unregistered")
            #expect(token.registeredAt == nil)
            #expect(token.markedAt != nil)
        }
    }

    @Test(arguments: [
        (registered: 999, isDead: true), (registered: 1_000, isDead: false), (registered: 1_001, isDead: false),
    ])
    func marksTokenDeadOnlyIfRegisteredEarlier(registered: Int64, isDead: Bool) async throws {
        try await withRegistry { registry in
            // aa is registered before its mark is written, and bb afterwards. For cc, the job states the time.
            try await registry.register([registration("aa", at: registered)])
            try await registry.mark([mark("aa", at: 1_000)])
            try await registry.mark([mark("bb", at: 1_000)])
            try await registry.register([registration("bb", at: registered)])
            try await registry.mark([mark("cc", at: 1_000, registeredAt: registered)])
            for token in ["aa", "bb", "cc"] {
                let state = try #require(
                    try await registry.show(token: token, output: "apns", form: .hex(maximumDigits: 512)).first)
                #expect((state.unregisteredAt != nil) == isDead, "\(state)")
                #expect((state.reason != nil) == isDead)
                #expect((state.markedAt != nil) == isDead)
                #expect(state.registeredAt == Timestamp(milliseconds: registered))
            }
        }
    }

    @Test func repeatedMarksAndRegistrationsChangeNothing() async throws {
        try await withRegistry { registry in
            try await registry.mark([mark("aa", at: 1_000)])
            try await registry.register([registration("bb", at: 1_000)])
            let before =
                try await registry.show(token: "aa", output: "apns", form: .hex(maximumDigits: 512))
                + registry.show(token: "bb", output: "apns", form: .hex(maximumDigits: 512))
            #expect(try await registry.mark([mark("aa", at: 1_000), mark("aa", at: 999), mark("bb", at: 1_000)]) == 0)
            #expect(try await registry.register([registration("bb", at: 1_000), registration("bb", at: 5)]) == 0)
            #expect(
                try await registry.show(token: "aa", output: "apns", form: .hex(maximumDigits: 512))
                    + registry.show(token: "bb", output: "apns", form: .hex(maximumDigits: 512)) == before)
        }
    }

    @Test func mergesRepeatedTokenOfOneCall() async throws {
        try await withRegistry { registry in
            try await registry.mark([
                mark("aa", at: 1_000, reason: "old"), mark("aa", at: 3_000, reason: "new"),
                mark("aa", at: 2_000, registeredAt: 500),
            ])
            let token = try #require(
                try await registry.show(token: "aa", output: "apns", form: .hex(maximumDigits: 512)).first)
            #expect(token.unregisteredAt == Timestamp(milliseconds: 3_000))
            #expect(token.registeredAt == Timestamp(milliseconds: 500))
            #expect(token.reason == "new")
        }
    }

    /// Several tasks write marks and registrations of a thousand tokens in random order, some of them twice. The newest
    /// mark and the newest registration of each token must remain.
    @Test func keepsNewestTimesInAnyOrder() async throws {
        enum Change: Sendable {
            case mark(TokenMark)
            case registration(TokenRegistration)
        }
        try await withRegistry { registry in
            var expected: [String: (registered: Int64?, unregistered: Int64?)] = [:]
            var changes: [Change] = []
            for index in 0..<1_000 {
                let token = "a" + String(index, radix: 16)
                for _ in 0..<Int.random(in: 1...4) {
                    let time = Int64.random(in: 1...5)
                    if Bool.random() {
                        changes.append(.registration(registration(token, at: time)))
                        expected[token, default: (nil, nil)].registered = max(expected[token]?.registered ?? 0, time)
                    } else {
                        changes.append(.mark(mark(token, at: time)))
                        expected[token, default: (nil, nil)].unregistered = max(
                            expected[token]?.unregistered ?? 0, time)
                    }
                }
            }
            changes += changes.filter { _ in Int.random(in: 0..<4) == 0 }
            changes.shuffle()
            let chunks = stride(from: 0, to: changes.count, by: 97).map {
                Array(changes[$0..<min($0 + 97, changes.count)])
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for chunk in chunks {
                    group.addTask {
                        try await registry.mark(chunk.compactMap { if case .mark(let mark) = $0 { mark } else { nil } })
                        try await registry.register(
                            chunk.compactMap {
                                if case .registration(let registration) = $0 { registration } else { nil }
                            })
                    }
                }
                try await group.waitForAll()
            }
            for (token, times) in expected {
                let state = try #require(
                    try await registry.show(token: token, output: "apns", form: .hex(maximumDigits: 512)).first,
                    "\(token)")
                let isDead = (times.unregistered ?? 0) > (times.registered ?? 0)
                #expect(state.registeredAt?.milliseconds == times.registered, "\(token)")
                #expect(state.unregisteredAt?.milliseconds == (isDead ? times.unregistered : nil), "\(token)")
            }
        }
    }

    @Test func deletesToken() async throws {
        try await withRegistry { registry in
            try await registry.mark([mark("aa", at: 1_000)])
            #expect(try await registry.forget(key("AA")))
            #expect(try await registry.show(token: "aa", output: "apns", form: .hex(maximumDigits: 512)).isEmpty)
            #expect(try await registry.forget(key("aa")) == false)
        }
    }

    @Test func exportsByTimeOfMarking() async throws {
        try await withRegistry { registry in
            let tokens = (0..<25).map { "a" + String($0 + 16, radix: 16) }
            // APNs may report a death late, so the provider's time can be long before the time of the mark.
            try await registry.mark(tokens.map { mark($0, at: 1_000) })
            try await registry.register([registration(tokens[0], at: 2_000), registration("ff", at: 1)])
            var exported: [String] = []
            var pages = 0
            try await registry.deadTokens(since: Timestamp.now.minus(seconds: 60), pageSize: 10) { page in
                exported += page.map(\.key.token)
                pages += 1
            }
            #expect(exported.sorted() == tokens.dropFirst().sorted())
            #expect(pages == 3)
            try await registry.deadTokens(since: Timestamp.now.minus(seconds: -60)) { page in
                Issue.record("export since a future time returned \(page.count) tokens")
            }
        }
    }

    private static let forms = [
        ("ABCDEF01", "abcdef01"), ("<ABCDEF02>", "abcdef02"), ("<abcdef01 23456789>", "abcdef0123456789"),
        ("ab cd", "abcd"), ("dGVzdA:APA91b-X", "dGVzdA:APA91b-X"), ("<not hex>", "<not hex>"), ("<>", "<>"),
    ]

    /// The registry and the filter of the pipeline must use the same form.
    @Test(arguments: forms)
    func normalisesToken(token: String, stored: String) {
        #expect(key(token).token == stored)
        func hash(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes { TokenHash.hash($0, seed: 7) } }
        #expect(hash(token) == hash(stored))
    }

    @Test func normalisesTokenInSQL() async throws {
        try await TestDatabase.withMigrated { database in
            for (token, _) in Self.forms {
                try await database.pool.query("SELECT martlet.register_token('com.example.shop', $1)", [.text(token)])
            }
            let rows = try await database.pool.query("SELECT token FROM martlet.device_tokens")
            #expect(try rows.map { try $0["token"].text }.sorted() == Self.forms.map(\.1).sorted())
        }
    }

    /// A mark that the database can never store must not block other marks.
    @Test func skipsAndLogsMarksThatCannotBeStored() async throws {
        try await TestDatabase.withMigrated { database in
            let log = LogRecorder()
            let registry = DeviceTokenRegistry(database.pool, logger: log.logger("registry"))
            let marks = [
                mark("aa", at: 1_000), mark("bb", at: 1_000, reason: "Unreg\0istered"), mark("c\0", at: 1_000),
                mark("dd", at: .max), mark("ee", at: 300_000_000_000_000),
                mark(String(repeating: "x", count: 201) + "\0", at: 1_000), mark("ff", at: 1_000),
            ]
            let changed = try await registry.mark(marks)
            #expect(changed == 3)
            for token in ["aa", "bb", "ff"] {
                #expect(
                    try await registry.show(token: token, output: "apns", form: .hex(maximumDigits: 512)).first?
                        .unregisteredAt == Timestamp(seconds: 1), "\(token)")
            }
            #expect(
                try await registry.show(token: "bb", output: "apns", form: .hex(maximumDigits: 512)).first?.reason
                    == "Unreg\u{FFFD}istered")
            #expect(log.text.split(separator: "A dead token cannot be marked").count == 5, "\(log.text)")
        }
    }

    @Test(arguments: ["infinity", "-infinity", "57857-01-01", "9999-01-01"])
    func rejectsImplausibleRegistrationTime(time: String) async throws {
        try await TestDatabase.withMigrated { database in
            let byFunction = await #expect(throws: PostgresError.self) {
                try await database.pool.query("SELECT martlet.register_token('a', 'aa', $1)", [.text(time)])
            }
            #expect(byFunction?.message.contains("registered_at") == true)
            guard time != "9999-01-01" else { return }
            let byHand = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "INSERT INTO martlet.device_tokens (output, app, environment, token, registered_at) VALUES ('apns', 'a', 'production', 'aa', $1)",
                    [.text(time)])
            }
            #expect(byHand?.constraint == "device_tokens_registered_at")
        }
    }
}

extension Timestamp {
    fileprivate func minus(seconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds - seconds * 1000) }
}
