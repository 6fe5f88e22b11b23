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
import TestSupport
import Testing

@Suite struct DocumentedKeysTests {
    private let example = "deploy/martlet.example.yaml"

    @Test func readsExampleFile() async throws {
        let path = Project.root.appending(path: example).path()
        let source = try await ConfigurationSource(file: path, settings: ["worker.name=push-7"], environment: [:])
        #expect(try source.pipeline().worker == "push-7")
        #expect(try source.broker().endpoints.count == 2)
        #expect("\(try source.database(applicationName: "test"))".contains("db.example.net"))
        #expect(try source.apns().maximumConnections == 16)
        #expect(try source.endpoint(.httpListen).port == 8080)
        #expect(try source.logLevel() == .info)
    }

    /// With its commented lines enabled, the example contains every key.
    @Test func exampleHasEveryKeyWithItsDefault() async throws {
        let text = try String(contentsOf: Project.root.appending(path: example), encoding: .utf8).replacing(
            /(?m)^( *)# ([a-z_]+: )/
        ) { "\($0.1)\($0.2)" }
        try await withFile(text) { path in
            let source = try await ConfigurationSource(file: path, settings: [], environment: [:])
            let bare = try await ConfigurationSource(file: nil, settings: [], environment: [:])
            for key in ConfigurationKey.allCases {
                #expect(source.string(key) != nil, "\(key.rawValue) is missing")
                if let standard = bare.string(key) { #expect(source.string(key) == standard, "\(key.rawValue)") }
            }
        }
    }

    @Test func pageListsEveryKeyWithItsDefault() throws {
        let rows = try String(
            contentsOf: Project.root.appending(path: "docs/configuration.md"), encoding: .utf8
        ).matches(of: /(?m)^\| `([a-z_.]+)` \| ([^|]*) \|/)
        let documented = Dictionary(rows.map { (String($0.1), String($0.2)) }) { first, _ in first }
        #expect(Set(documented.keys) == Set(ConfigurationKey.allCases.map(\.rawValue)))
        for key in ConfigurationKey.allCases {
            guard let standard = key.defaultValue else { continue }
            #expect(documented[key.rawValue]?.replacing("`", with: "") == standard, "\(key.rawValue)")
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
    }
}
