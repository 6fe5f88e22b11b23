import ConfigurationTestSupport
import Contract
import Foundations
import APNSOutput
import DeliveryPipeline
import Logging
import MartletCommand
import MartletConfiguration
import PushModel
import TestSupport
import Testing

@Suite struct PrecedenceTests {
    private static let file = "amqp:\n  prefix: from file\n  prefetch:\n    urgent: 7\n"

    @Test(
        arguments: [([:], nil), (["MARTLET_CONFIG": ""], nil), (["MARTLET_CONFIG": "a.yaml"], "a.yaml")]
            as [([String: String], String?)])
    func treatsEmptyConfigVariableAsUnset(environment: [String: String], file: String?) {
        #expect(ConfigurationOptions.file(in: environment) == file)
    }

    @Test(
        arguments: [
            (["amqp.prefix=from flag"], ["MARTLET_AMQP_PREFIX": "from environment"], true, "from flag"),
            ([], ["MARTLET_AMQP_PREFIX": "from environment"], true, "from environment"),
            ([], [:], true, "from file"),
            ([], [:], false, "martlet"),
            (["amqp.prefix=first", "amqp.prefix=last"], [:], true, "last"),
            (["amqp.prefix=a=b"], [:], false, "a=b"),
        ] as [([String], [String: String], Bool, String)])
    func prefersFlagsThenEnvironmentThenFileThenDefaults(
        settings: [String], environment: [String: String], hasFile: Bool, expected: String
    ) async throws {
        try await withFile(Self.file) { path in
            let source = try await ConfigurationSource(
                file: hasFile ? path : nil, settings: settings, environment: environment)
            #expect(source.string(.amqpPrefix) == expected)
        }
    }

    @Test(arguments: ConfigurationKey.allCases)
    func readsEveryKeyFromEverySource(key: ConfigurationKey) async throws {
        let levels = key.rawValue.split(separator: ".")
        let yaml =
            levels.enumerated().map { String(repeating: "  ", count: $0.offset) + $0.element + ":" }
            .joined(separator: "\n") + " 42\n"
        try await withFile(yaml) { path in
            var sources = [
                try await ConfigurationSource(file: path, settings: [], environment: [:]),
                try await ConfigurationSource(file: nil, settings: [], environment: [key.environmentVariable: "42"]),
            ]
            // Flags do not accept secrets.
            if !key.isSecret {
                sources.append(
                    try await ConfigurationSource(file: nil, settings: ["\(key.rawValue)=42"], environment: [:]))
            }
            let folder = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
            let isPath = key.rawValue.hasSuffix("file")
            #expect(sources[0].string(key) == (isPath ? folder + "42" : "42"))
            #expect(sources.dropFirst().allSatisfy { $0.string(key) == "42" })
        }
    }

    @Test func resolvesRelativePathsAgainstFolderOfFile() async throws {
        let yaml =
            "amqp:\n  ca_file: a.pem\napns:\n  ca_file: /etc/b.pem\nkeyring:\n  file: \"\"\nfcm:\n  ca_file: c.pem\n"
        try await withFile(yaml) { path in
            let source = try await ConfigurationSource(
                file: path, settings: ["fcm.ca_file=c.pem"], environment: ["MARTLET_WEBPUSH_CA_FILE": "d.pem"])
            func value(_ key: String) -> String? { ConfigurationKey(rawValue: key).flatMap { source.string($0) } }
            let folder = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
            #expect(value("amqp.ca_file") == "\(folder)a.pem")
            #expect(value("apns.ca_file") == "/etc/b.pem" && value("keyring.file") == "")
            #expect(value("fcm.ca_file") == "c.pem" && value("webpush.ca_file") == "d.pem")
        }
    }

    @Test func buildsPipelineFromDefaults() async throws {
        let source = try await ConfigurationSource(
            file: nil, settings: ["worker.name=push-7", "amqp.prefetch.bulk=9"], environment: [:])
        let pipeline = try source.pipeline()
        #expect(pipeline.worker == "push-7")
        #expect(pipeline.names.prefix == "martlet")
        #expect(pipeline.prefetch == [.urgent: 1000, .normal: 4000, .bulk: 9])
        #expect(pipeline.limits.maximumInFlight == 20_000)
        #expect(pipeline.maximumOutcomesPerEvent == 500)
        #expect(pipeline.maximumWaitMilliseconds == 10)
        #expect(pipeline.retry.maximumAttempts == 10)
        #expect(try source.apns().production.host == "api.push.apple.com")
        #expect(try source.logLevel() == .info)
    }

    @Test func emptyOrCommentedFileSetsNothing() async throws {
        for text in ["", "# nothing\n", "---\n", "amqp:\n  prefix:\n", "amqp.prefix: null\n"] {
            try await withFile(text) { path in
                let source = try await ConfigurationSource(file: path, settings: [], environment: [:])
                #expect(source.string(.amqpPrefix) == "martlet")
            }
        }
    }
}
