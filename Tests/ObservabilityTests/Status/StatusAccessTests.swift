import ConfigurationTestSupport
import Foundation
import MartletConfiguration
import Observability
import TestSupport
import Testing

@Suite struct StatusAccessTests {
    @Test(arguments: [
        ("localhost", true), ("localhost:8080", true), ("LOCALHOST.:8080", true), ("push.localhost", true),
        ("127.0.0.1:8080", true), ("10.1.2.3", true), ("[::1]:8080", true), ("[fe80::1]", true),
        ("status.example.net", true), ("Status.Example.net:443", true), ("status.example.net.", true),
        ("evil.example", false), ("evil.example:8080", false), ("localhost.evil.example", false), ("", false),
        ("127.0.0.1.evil.example", false), ("1.2.3", false), ("256.1.1.1", false), ("a:b", false), ("[evil]", false),
        ("[::1]evil.example", false), ("::1", false), ("localhost:80:80", false), ("127.0.0.1:8o", false),
        ("xstatus.example.net", false),
    ]) func allowsOnlyHostsThatResistDNSRebinding(authority: String, isAllowed: Bool) {
        #expect(HostRule(names: ["status.EXAMPLE.net"]).allows(authority) == isAllowed)
        #expect(!HostRule(names: []).allows(nil))
    }

    @Test func acceptsTokenAsBearerOrBasic() throws {
        let token = try #require(AccessToken("correct horse battery"))
        func basic(_ text: String) -> String { "Basic \(Data(text.utf8).base64EncodedString())" }
        for shown in [
            "Bearer correct horse battery", "bearer correct horse battery", basic("anna:correct horse battery"),
            basic(":correct horse battery"),
        ] {
            #expect(token.isShown(by: shown), "\(shown)")
        }
        for shown in [
            nil, "", "Bearer", "Bearer ", "Bearer correct horse batter", "Bearer correct horse batteryy",
            "Bearer correct horse batterycorrect horse battery", "Digest correct horse battery",
            basic("correct horse battery"),
            basic("anna:wrong horse battery"), "Basic !!", "correct horse battery",
        ] {
            #expect(!token.isShown(by: shown), "\(shown ?? "nothing")")
        }
        #expect(AccessToken("short") == nil && AccessToken("") == nil)
    }

    @Test func namesOriginOfEachSetting() async throws {
        try await withFile("amqp:\n  url: amqp://martlet:hush@rabbit.example.net/\nlog:\n  level: debug\n") { path in
            let source = try await ConfigurationSource(
                file: path, settings: ["worker.name=push-7"],
                environment: [
                    "MARTLET_DATABASE_URL": "postgres://u:hush@db.example.net/m", "MARTLET_LOG_LEVEL": "error",
                ])
            let found = Dictionary(uniqueKeysWithValues: ConfigurationSetting.all(of: source).map { ($0.key, $0) })
            func setting(_ key: String, _ value: String?, _ origin: ConfigurationSetting.Origin) -> ConfigurationSetting
            {
                ConfigurationSetting(key: key, value: value, origin: origin)
            }
            for expected in [
                setting("amqp.url", "set", .file), setting("database.url", "set", .environment),
                setting("log.level", "error", .environment), setting("worker.name", "push-7", .flag),
                setting("retry.maximum_age", "86400", .standard), setting("keyring.keys", nil, .standard),
            ] {
                #expect(found[expected.key] == expected)
            }
            #expect(ConfigurationSetting.all(of: source).map(\.key) == ConfigurationKey.allCases.map(\.rawValue))
            #expect(!ConfigurationSetting.all(of: source).contains { $0.value?.contains("hush") ?? false })
        }
    }
}
