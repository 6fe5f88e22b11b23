import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing

/// `martlet token`, the commands for the device token registry.
@Suite(.needsServers)
struct TokenCommandTests {
    private static let app = "com.example.shop"

    private func with(_ body: (Installation, DeviceTokenRegistry) async throws -> Void) async throws {
        try await Installation.with { installation in
            try await installation.setApp(App(bundleID: Self.app, accounts: ["apns": AppAccount("TEAM000001")]))
            try await installation.setApp(
                App(
                    bundleID: "com.example.news", accounts: ["apns": AppAccount("TEAM000001")],
                    defaultEnvironment: .sandbox))
            try await body(installation, DeviceTokenRegistry(installation.database.pool))
        }
    }

    private func mark(_ token: String, app: String = Self.app) -> TokenMark {
        TokenMark(
            key: DeviceTokenKey(
                output: "apns", app: app, environment: .production, form: .hex(maximumDigits: 512), token: token),
            unregisteredAt: Timestamp(seconds: 1_700_000_000), reason: "Unregistered")
    }

    @Test func registersShowsAndForgetsTokens() async throws {
        try await with { installation, registry in
            try await registry.mark([mark("ab12"), mark("ab12", app: "com.example.gone"), mark("cd34")])
            let dead = try await installation.martlet(["token", "show", "AB12"])
            #expect(dead.output.contains("com.example.shop  production   dead "), "\(dead)")
            #expect(dead.output.contains("2023-11-14T22:13:20.000Z"))
            let registered = try await installation.martlet([
                "token", "register", "AB12", "ef56", "--app", Self.app, "--registered-at", "1700000000",
            ])
            #expect(registered.status == 0 && registered.output.contains("registered 2 tokens: 2 new or newer"))
            let live = try await installation.martlet(["token", "show", "ab12", "--json"])
            struct Shown: Decodable { let app: String; let state: String; let registered_at: String? }
            let shown = try JSONDecoder().decode([Shown].self, from: Data(live.output.utf8))
            #expect(shown.map { "\($0.app) \($0.state)" } == ["com.example.gone dead", "com.example.shop live"])
            #expect(shown[1].registered_at == "2023-11-14T22:13:20.000Z")

            let forgotten = try await installation.martlet(["token", "forget", "AB12"])
            #expect(forgotten.output == "forgot 2 tokens\n", "\(forgotten)")
            let unknown = try await installation.martlet(["token", "show", "ab12"])
            #expect(unknown.output.contains("there is no record of this token"), "\(unknown)")
            let all = try await installation.martlet(["token", "forget", "--all", "--app", Self.app])
            #expect(all.output == "forgot 2 tokens\n", "\(all)")
        }
    }

    /// For such a long token, the database stores a hash in the column `token`, and the token itself in another column.
    @Test func showsExportsAndForgetsLongToken() async throws {
        try await with { installation, registry in
            let long = String(repeating: "ab", count: 128)
            let registered = try await installation.martlet(
                ["token", "register", long.uppercased(), "--app", Self.app, "--registered-at", "1600000000"])
            #expect(registered.status == 0, "\(registered)")
            #expect(try await registry.mark([mark(long)]) == 1)
            let shown = try await installation.martlet(["token", "show", "<\(long)>", "--json"])
            #expect(shown.output.contains(#""token" : "\#(long)""#), "\(shown)")
            #expect(shown.output.contains(#""state" : "dead""#), "\(shown)")
            for format in [[], ["--csv"]] {
                let exported = try await installation.martlet(["token", "export"] + format)
                #expect(exported.output.contains(long) && !exported.output.contains("sha256:"), "\(exported)")
            }
            let forgotten = try await installation.martlet(["token", "forget", long])
            #expect(forgotten.output == "forgot 1 token\n", "\(forgotten)")
        }
    }

    @Test func registersAllValidLinesOfFile() async throws {
        try await with { installation, registry in
            var lines = ["token,app,registered_at"]
            for number in 0..<12_000 { lines.append("aa\(String(100_000 + number)),\(Self.app),1700000000") }
            lines[7_000] = "xyz,\(Self.app),1700000000"
            lines[11_000] = "aabb,com.example.other,1700000000"
            let file = try installation.write(lines.joined(separator: "\n"), to: "tokens.csv")
            let first = try await installation.martlet(["token", "register", "--file", file])
            #expect(first.status == 1)
            #expect(first.output == "registered 11,998 tokens: 11,998 new or newer, 2 invalid lines\n", "\(first)")
            #expect(first.errors.contains("line 7001: token: has characters other than hex digits\n"), "\(first)")
            #expect(first.errors.contains("line 11001: app: com.example.other is not registered"), "\(first)")
            let second = try await installation.martlet(
                ["token", "register", "--file", "-"], input: lines.joined(separator: "\n"))
            #expect(second.output == "registered 11,998 tokens: 0 new or newer, 2 invalid lines\n", "\(second)")

            try await installation.database.pool.query("DELETE FROM martlet.device_tokens")
            let strict = try await installation.martlet(["token", "register", "--file", file, "--strict"])
            #expect(strict.status == 1)
            #expect(strict.output == "registered 6,999 tokens: 6,999 new or newer, 1 invalid line\n", "\(strict)")
            #expect(strict.errors.contains("stopped; continue with --from-line 7001"), "\(strict)")
            let rest = try await installation.martlet(["token", "register", "--file", file, "--from-line", "7002"])
            #expect(rest.output == "registered 4,999 tokens: 4,999 new or newer, 1 invalid line\n", "\(rest)")
            let count = try await installation.database.pool.query("SELECT count(*) FROM martlet.device_tokens")
            #expect(try count[0]["count"].integer == 11_998)
        }
    }

    @Test func registersTokensFromJSONLinesAndOptions() async throws {
        try await with { installation, registry in
            let input = #"""
                {"token":"aa01"}
                {"token":"aa02","app":"com.example.news","registered_at":"2023-11-14T22:13:20Z"}
                """#
            let finished = try await installation.martlet(
                ["token", "register", "--file", "-", "--app", Self.app, "--environment", "production"], input: input)
            #expect(finished.status == 0, "\(finished)")
            #expect(
                try await registry.show(token: "aa01", output: "apns", form: .hex(maximumDigits: 512)).map(\.key.app)
                    == [Self.app])
            let other = try await registry.show(token: "aa02", output: "apns", form: .hex(maximumDigits: 512))
            #expect(other.map(\.key.environment) == [.production])
            #expect(other.map(\.registeredAt) == [Timestamp(seconds: 1_700_000_000)])
        }
    }

    @Test func exportContinuesFromCursor() async throws {
        try await with { installation, registry in
            try await registry.mark([mark("aa01"), mark("aa02", app: "com.example.news")])
            let cursor = installation.path("cursor")
            let first = try await installation.martlet(["token", "export", "--cursor", cursor])
            let lines = try first.output.split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String] ?? [:]
            }
            #expect(lines.compactMap { $0["token"] }.sorted() == ["aa01", "aa02"], "\(first)")
            #expect(lines.first?["unregistered_at"] == "2023-11-14T22:13:20.000Z")
            #expect(lines.first?["reason"] == "Unregistered")
            try await registry.mark([mark("aa03")])
            let second = try await installation.martlet(["token", "export", "--cursor", cursor, "--csv"])
            let rows = second.output.split(separator: "\n")
            #expect(rows.count == 2 && rows[0].hasPrefix("token,app,"), "\(second)")
            #expect(rows.last?.hasPrefix("aa03,com.example.shop,production,apns,,2023-11-14T22:13:20.000Z,20") == true)
            let third = try await installation.martlet(["token", "export", "--cursor", cursor])
            #expect(third.output.isEmpty && third.status == 0, "\(third)")

            let all = try await installation.martlet(["token", "export", "--app", "com.example.news"])
            #expect(all.output.split(separator: "\n").count == 1)
            let hint = try #require(all.errors.firstMatch(of: /continue with --since (\S+)/)?.1, "\(all)")
            let none = try await installation.martlet(["token", "export", "--since", String(hint)])
            #expect(none.output.isEmpty, "\(none)")
        }
    }

    @Test(arguments: [
        ["register"], ["register", "aa", "--file", "-"], ["register", "aa", "--registered-at", "soon"], ["forget"],
        ["forget", "--all"], ["forget", "aa", "--all", "--app", "a"], ["export", "--since", "yesterday"],
        ["export", "--since", "1700000000", "--cursor", "file"], ["register", "aa", "--from-line", "0"],
    ])
    func exitsWith64OnWrongUsage(_ words: [String]) async throws {
        let finished = try await Subprocess.run([Project.command, "token"] + words)
        #expect(finished.status == 64, "\(finished)")
    }
}
