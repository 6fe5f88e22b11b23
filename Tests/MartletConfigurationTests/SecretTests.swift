import AMQPClient
import ConfigurationTestSupport
import MartletConfiguration
import PostgresClient
import Store
import TestSupport
import Testing

@Suite struct SecretTests {
    private static let secret = "hunter2"

    @Test(arguments: ConfigurationKey.allCases.filter(\.isSecret))
    func readsSecretFromFile(key: ConfigurationKey) async throws {
        try await withFile("\n amqp://a:b@c/d \n") { path in
            let variable = key.environmentVariable
            let fromFile = try await ConfigurationSource(
                file: nil, settings: [], environment: ["\(variable)_FILE": path])
            #expect(fromFile.string(key) == "amqp://a:b@c/d")
            let both = try await ConfigurationSource(
                file: nil, settings: [], environment: ["\(variable)_FILE": path, variable: "itself"])
            #expect(both.string(key) == "itself")
        }
        let missing = await failure {
            try await ConfigurationSource(
                file: nil, settings: [], environment: ["\(key.environmentVariable)_FILE": "/nonexistent"])
        }
        #expect(
            missing?.hasPrefix("\(key.environmentVariable)_FILE: cannot read /nonexistent: ") == true,
            "\(missing ?? "")"
        )
    }

    @Test(arguments: ConfigurationKey.allCases.filter(\.isSecret))
    func rejectsSecretInFlag(key: ConfigurationKey) async {
        let variable = key.environmentVariable
        #expect(
            await failure {
                try await ConfigurationSource(file: nil, settings: ["\(key.rawValue)=hunter2"], environment: [:])
            }
                == "--set \(key.rawValue): may contain a secret, and all users of a machine can read command lines; use the file, \(variable) or \(variable)_FILE"
        )
    }

    @Test(arguments: [
        "amqp.url:amqp://user:hunter2@host", "amqp.ur=amqp://user:hunter2@host", "amqp.url amqp://user:hunter2@host",
    ])
    func hidesSecretInErrorAboutFlag(setting: String) async throws {
        let failure = await failure {
            try await ConfigurationSource(file: nil, settings: [setting], environment: [:])
        }
        #expect(try #require(failure).contains(Self.secret) == false)
    }

    @Test(arguments: [
        "amqp:\n  url: \"amqp://user:hunter2@host\n", "amqp:\n  url: amqp://user:hunter2@host: x: y\n",
        "amqp:\n  url: [amqp://user:hunter2@host]\n", "amqp:\n\turl: amqp://user:hunter2@host\n",
        "amqp: {url: hunter2\n", "- amqp://user:hunter2@host\n", "amqp://user:hunter2@host",
        "amqp: amqp://user:hunter2@host\n", "amqp:\n  url: hunter2\u{7}\n",
    ])
    func hidesSecretInErrorAboutFile(text: String) async throws {
        try await withFile(text) { path in
            let failure = await failure { try await ConfigurationSource(file: path, settings: [], environment: [:]) }
            let message = try #require(failure)
            #expect(!message.contains(Self.secret), "\(message)")
        }
    }

    @Test(arguments: [
        "amqp://user:hunter2@host:port/", "amqp://user:hunter2@", "http://user:hunter2@host", "user:hunter2@host",
        "amqp://user:hunter2%zz@host", "amqp://user:hunter2@host/?nonsense=1",
    ])
    func hidesSecretInErrorAboutURL(url: String) async throws {
        let source = try await ConfigurationSource(
            file: nil, settings: [], environment: ["MARTLET_AMQP_URL": url, "MARTLET_DATABASE_URL": url])
        let broker = try #require(await failure { try source.broker() })
        let database = try #require(await failure { try source.database(applicationName: "test") })
        #expect(broker.hasPrefix("configuration key amqp.url (MARTLET_AMQP_URL): "))
        #expect(database.hasPrefix("configuration key database.url (MARTLET_DATABASE_URL): "))
        for message in [broker, database] { #expect(!message.contains(Self.secret), "\(message)") }
    }

    @Test func hidesSecretInDescriptions() async throws {
        let amqp = "amqp://user:hunter2@host/", postgres = "postgres://user:hunter2@host/martlet"
        let file = "amqp:\n  url: \"\(amqp)\"\ndatabase:\n  url: \"\(postgres)\"\n"
        try await withFile(file) { path in
            let sources = [
                try await ConfigurationSource(file: path, settings: [], environment: [:]),
                try await ConfigurationSource(
                    file: nil, settings: [], environment: ["MARTLET_AMQP_URL": amqp, "MARTLET_DATABASE_URL": postgres]),
            ]
            for (index, source) in sources.enumerated() {
                let broker = try source.broker()
                let database = try source.database(applicationName: "test")
                let shown = ["\(source)", String(reflecting: source), "\(broker)", "\(database)"]
                for text in shown { #expect(!text.contains(Self.secret), "source \(index): \(text)") }
            }
        }
    }

    @Test func readsMasterKeysFromEnvironment() async throws {
        let (one, two) = (String(repeating: "A", count: 43) + "=", String(repeating: "B", count: 42) + "A=")
        for keys in ["2026-11 \(one), 2025-10 \(two)", "2026-11 \(one)\n2025-10 \(two)\n"] {
            let source = try await ConfigurationSource(
                file: nil, settings: [], environment: ["MARTLET_KEYRING_KEYS": keys])
            #expect(try source.keyring().currentKeyID == "2026-11")
            #expect(try source.keyring().keyIDs == ["2026-11", "2025-10"])
            let both = try await ConfigurationSource(
                file: nil, settings: ["keyring.file=/nowhere"], environment: ["MARTLET_KEYRING_KEYS": keys])
            #expect(
                await failure { try both.keyring() }
                    == "configuration key keyring.keys (MARTLET_KEYRING_KEYS): and keyring.file are both set; set only one of them"
            )
        }
        let source = try await ConfigurationSource(
            file: nil, settings: [], environment: ["MARTLET_KEYRING_KEYS": "2026-11 hunter2"])
        #expect(
            await failure { try source.keyring() }
                == "configuration key keyring.keys (MARTLET_KEYRING_KEYS): keyring in the configuration, line 1: the key of 2026-11 is not 32 bytes in base64"
        )
    }

    @Test func hidesSecretInErrorAboutKeyring() async throws {
        try await withFile("2026-11 hunter2\n") { path in
            let source = try await ConfigurationSource(
                file: nil, settings: ["keyring.file=\(path)"], environment: [:])
            let message = try #require(await failure { try source.keyring() })
            #expect(message.hasPrefix("configuration key keyring.file (MARTLET_KEYRING_FILE): "))
            #expect(!message.contains(Self.secret), "\(message)")
        }
    }
}
