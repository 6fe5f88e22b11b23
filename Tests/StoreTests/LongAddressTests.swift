import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Addresses of any length, from short installation ids to endpoints of a kilobyte.
@Suite struct FiledAddressTests {
    static let limit = FiledAddress.longestPlain

    private static let plain = [
        "", "ab12", "dGVzdA:APA91b-X", String(repeating: "a", count: limit), String(repeating: "é", count: limit / 2),
        #"a "quoted" \\ text\#n"#, "SHA256:x", "sha256", "sha256-x",
    ]
    private static let hashed = [
        String(repeating: "a", count: limit + 1), String(repeating: "é", count: limit / 2) + "a",
        #"https://push.example.net/\u00e9?a=%C3%A9&"# + String(repeating: #"\/"'🙂"#, count: 40) + "\r\n\t",
        String(repeating: "b", count: 4_096), "sha256:", "sha256:x",
        FiledAddress(String(repeating: "a", count: 300)).token,
    ]
    static let all = plain + hashed

    @Test func storesShortAddressUnchanged() {
        for address in Self.plain {
            #expect(FiledAddress(address).token == address)
            #expect(FiledAddress(address).address == nil)
        }
    }

    @Test func storesLongAddressUnderHash() {
        for address in Self.hashed {
            #expect(FiledAddress(address).address == address)
            #expect(FiledAddress(address).token.utf8.count == 50)
        }
        // Computed in Python: "sha256:" + urlsafe_b64encode(sha256(address.encode()).digest()).decode().rstrip("=")
        #expect(
            FiledAddress(String(repeating: "a", count: 201)).token
                == "sha256:qS79ghCTc-WPmiBW3uAegH4hbOYHX3BRIHwKn31mblA")
        #expect(
            FiledAddress(String(repeating: "é", count: 100) + "a").token
                == "sha256:66vp0COWXmvj_I-bgsh93F73yZr5sZ5Ehh_Hfloub14")
        #expect(FiledAddress("sha256:").token == "sha256:n9cUzm9jw7MgyUS3DoCl0QX9Lz4tMK4vqBNw4iP1DQc")
    }

    @Test func storesEachAddressUnderDifferentKey() {
        let tokens = Self.all.map { FiledAddress($0).token }
        #expect(Set(tokens).count == tokens.count)
    }

    /// In a job, a hex address may contain spaces and capitals. The filter gets the bytes of the job and must still
    /// find the marked token.
    @Test(arguments: [96, limit / 2, limit / 2 + 1, 150])
    func filterHashesCanonicalForm(bytes: Int) {
        let form = RecipientForm.hex(maximumDigits: 512)
        let words = (0..<bytes).map { ($0 % 8 == 0 ? " " : "") + ["AB", "c0", "0D"][$0 % 3] }
        for written in ["<\(words.joined())>", words.joined().replacing(" ", with: ""), words.joined().uppercased()] {
            let filed = FiledAddress(form.canonical(written)).token
            let wanted = Array(filed.utf8).withUnsafeBytes { TokenHash.hash($0, seed: 7) }
            #expect(Array(written.utf8).withUnsafeBytes { TokenHash.hash(address: $0, form: form, seed: 7) } == wanted)
        }
    }
}

@Suite(.needsDatabase, .endsAHang)
struct LongAddressTests {
    private static let app = "com.example.shop"
    private static let output = "webpush"

    private func key(_ address: String, form: RecipientForm = .text) -> DeviceTokenKey {
        DeviceTokenKey(output: Self.output, app: Self.app, environment: .production, form: form, token: address)
    }

    private func mark(_ address: String, at seconds: Int64 = 100) -> TokenMark {
        TokenMark(key: key(address), unregisteredAt: Timestamp(seconds: seconds), reason: "Gone")
    }

    private func register(_ address: String, at seconds: Int64 = 1, _ pool: PostgresPool) async throws {
        try await pool.query(
            "SELECT martlet.register_token($1, $2, to_timestamp($3), 'production', $4)",
            [.text(Self.app), .text(address), .bigint(seconds), .text(Self.output)])
    }

    private func dead(_ registry: DeviceTokenRegistry) async throws -> [String] {
        var dead: [String] = []
        try await registry.deadTokens(since: Timestamp(seconds: 0)) { dead += $0.map(\.key.token) }
        return dead.sorted()
    }

    @Test func computesSameKeyInSQL() async throws {
        try await TestDatabase.withMigrated { database in
            for address in FiledAddressTests.all {
                let row = try await database.pool.query("SELECT martlet.token_key($1) AS token", [.text(address)])[0]
                #expect(try row["token"].text == FiledAddress(address).token, "\(address)")
            }
        }
    }

    @Test func keepsAddressThatLooksLikeHashSeparate() async throws {
        try await TestDatabase.withMigrated { database in
            let registry = DeviceTokenRegistry(database.pool)
            let long = String(repeating: "x", count: 600)
            let lookalike = FiledAddress(long).token
            try await register(lookalike, database.pool)
            try await registry.mark([mark(long)])
            #expect(try await registry.deaths(among: [key(lookalike), key(long)]).keys.sorted() == [1])
            let shown = try await registry.show(token: lookalike, output: Self.output, form: .text)
            #expect(shown.map(\.key.token) == [lookalike])
            #expect(shown.map(\.unregisteredAt) == [nil])
        }
    }

    /// All ways to write and to read an address must refer to the same row, especially near the length limit.
    @Test func findsExactlyMarkedAddresses() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        try await TestDatabase.withMigrated { database in
            let registry = DeviceTokenRegistry(database.pool)
            var random = SplitMix64(seed: seed)
            let addresses = (0..<300).map { number in
                let signs = ["a", "é", "🙂", "/", "\\", "\"", "%", "sha256:", "\u{7F}"]
                var text = number % 5 == 0 ? "sha256:" : ""
                let length = [10, 190, 199, 200, 201, 210, 600, 4_000].randomElement(using: &random) ?? 0
                while text.utf8.count < length { text += signs.randomElement(using: &random) ?? "" }
                return "\(text)\(number)"
            }
            let byFile = RegistrationImport(
                registry,
                rules: RegistrationRules(
                    apps: [Self.app: .production], recipients: [Self.output: .text], outputsOfOneWorld: [Self.output],
                    now: .now))
            var lines = [UInt8]()
            var expected: Set<String> = []
            for (number, address) in addresses.enumerated() {
                if number % 3 == 0 { try await register(address, database.pool) }
                if number % 3 == 1 {
                    lines += try JSONSerialization.data(withJSONObject: [
                        "token": address, "app": Self.app, "registered_at": "1", "output": Self.output,
                    ])
                    lines.append(UInt8(ascii: "\n"))
                }
                if number % 2 == 0 { expected.insert(address) }
            }
            var rest = [lines]
            _ = try await byFile.run(
                { rest.popLast() ?? [] }, bad: { Issue.record("line \($0) was rejected: \($1)") }, progress: { _ in })
            try await registry.mark(expected.map { mark($0) } + expected.map { mark($0, at: 90) })

            let deaths = try await registry.deaths(among: addresses.map { key($0) })
            #expect(Set(deaths.keys.map { addresses[$0] }) == expected, "seed \(seed)")
            try await database.nextTick(of: "milliseconds")
            #expect(try await dead(registry) == expected.sorted(), "seed \(seed)")
            let view = try await database.pool.query("SELECT token FROM martlet.dead_tokens")
            #expect(try Set(view.map { try $0["token"].text }) == expected, "seed \(seed)")
            let widths = try await database.pool.query(
                """
                SELECT count(*) AS rows, max(octet_length(token)) AS widest,
                    bool_and(token = martlet.token_key(coalesce(address, token)) OR address IS NULL) AS agree
                FROM martlet.device_tokens
                """)[0]
            #expect(try widths["widest"].integer <= FiledAddress.longestPlain)
            #expect(try widths["rows"].integer == addresses.indices.count { $0 % 2 == 0 || $0 % 3 < 2 })
            #expect(try widths["agree"].bool)
            for address in addresses.prefix(30) {
                let shown = try await registry.show(token: address, output: Self.output, form: .text)
                #expect(shown.allSatisfy { $0.key.token == address }, "seed \(seed)")
                #expect(try await registry.forget(key(address)) != shown.isEmpty, "seed \(seed)")
            }
            #expect(try await dead(registry) == expected.subtracting(addresses.prefix(30)).sorted(), "seed \(seed)")
        }
    }

    /// The filter must match every dead address in the form that jobs contain.
    @Test func filterMatchesEveryDeadAddress() async throws {
        try await TestDatabase.withMigrated { database in
            let addresses = (180..<220).map { String(repeating: "é", count: $0 / 2) + String($0) }
            try await DeviceTokenRegistry(database.pool).mark(addresses.map { mark($0) })
            let feed = DeadTokenFeed(database.pool, logger: database.logger)
            let (filters, loaded) = AsyncStream.makeStream(of: DeadTokenFilter.self)
            let following = Task { await feed.run { if case .loaded(let filter) = $0 { loaded.yield(filter) } } }
            let filter = try #require(await filters.first { _ in true })
            following.cancel()
            await following.value
            let seed = TokenHash.seed(output: Self.output, app: Self.app, environment: .production)
            for address in addresses {
                let hash = Array(address.utf8).withUnsafeBytes { TokenHash.hash(address: $0, form: .text, seed: seed) }
                // The lookup is outside the check, because a failed check would print the whole filter.
                let mayBeDead = filter.mayContain(hash)
                #expect(mayBeDead, "\(address)")
            }
        }
    }

    /// The rights that docs/tokens.md grants for a trigger are enough for long addresses.
    @Test func registersLongAddressWithDocumentedRights() async throws {
        try await TestDatabase.withMigrated { database in
            try await database.withLogin(in: "") { login, role in
                for grant in [
                    "USAGE ON SCHEMA martlet", "EXECUTE ON FUNCTION martlet.register_token",
                    "SELECT, INSERT, UPDATE ON martlet.device_tokens",
                ] { try await database.pool.query("GRANT \(grant) TO \(role)") }
                let long = String(repeating: "x", count: 1_024)
                try await register(long, login)
                let shown = try await DeviceTokenRegistry(database.pool).show(
                    token: long, output: Self.output, form: .text)
                #expect(shown.map(\.key.token) == [long])
            }
        }
    }
}
