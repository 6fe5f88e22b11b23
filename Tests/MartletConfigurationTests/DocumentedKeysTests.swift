import ConfigurationTestSupport
import Foundations
import AMQPClient
import APNSOutput
import DeliveryPipeline
import Foundation
import Logging
import MartletConfiguration
import MartletWorker
import PostgresClient
import PushModel
import TestSupport
import Testing

@Suite struct DocumentedKeysTests {
    private let example = ConfigurationExample(.withOutputs).lines.joined(separator: "\n")

    @Test func readsExampleFile() async throws {
        try await withFile(example) { path in
            let source = try await ConfigurationSource(file: path, settings: ["worker.name=push-7"], environment: [:])
            #expect(try source.pipeline().worker == "push-7")
            #expect(try source.broker().endpoints.count == 2)
            #expect("\(try source.database(applicationName: "test"))".contains("db.example.net"))
            #expect(try source.apns().maximumConnections == 16)
            #expect(try source.endpoint(.httpListen).port == 8080)
            #expect(try source.logLevel() == .info)
            // The ledger may read the same file and then uses another port.
            #expect(try LedgerProcess.endpoint(source)?.port == 8081)
        }
    }

    /// The example sets every key if the lines that are commented out are enabled.
    @Test func exampleSetsEveryKeyToDefault() async throws {
        try await withFile(example.replacing(/(?m)^( *)# ([a-z_]+: )/) { "\($0.1)\($0.2)" }) { path in
            let source = try await ConfigurationSource(file: path, settings: [], environment: [:])
            for key in ConfigurationKey.allCases {
                #expect(source.origins.origin(of: key) == .file, "\(key.rawValue) is missing")
                #expect(key.defaultValue == nil || source.string(key) == key.defaultValue, "\(key.rawValue)")
            }
        }
    }

    /// The ledger's port differs from the worker's only if no setting chooses one.
    @Test(
        arguments: [
            ([], "127.0.0.1:8081"), (["http.listen=127.0.0.1:8080"], "127.0.0.1:8080"),
            (["http.listen=0.0.0.0:9000"], "0.0.0.0:9000"), (["http.listen="], nil),
        ] as [([String], String?)])
    func ledgerListensBesideWorker(settings: [String], endpoint: String?) async throws {
        let source = try await ConfigurationSource(file: nil, settings: settings, environment: [:])
        #expect(try LedgerProcess.endpoint(source).map { "\($0)" } == endpoint)
    }

    @Test(arguments: ConfigurationKey.allCases)
    func keyHasVariableAndExplanation(key: ConfigurationKey) {
        #expect(key.environmentVariable.wholeMatch(of: /MARTLET(_[A-Z]+)+/) != nil, "\(key.environmentVariable)")
        #expect(!key.explanation.isEmpty && !key.explanation.hasSuffix("."))
        #expect(!key.explanation.contains("]("), "\(key.explanation)")
    }

    @Test(arguments: ConfigurationKey.allCases)
    func acceptsDefaultAndExample(key: ConfigurationKey) throws {
        for value in [key.defaultValue, key.setting.example].compactMap(\.self) { try key.setting.check(value) }
        #expect(!key.isRequired || (key.defaultValue == nil && key.setting.example != nil))
    }
}
