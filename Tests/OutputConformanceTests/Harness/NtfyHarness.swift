import Foundation
import Foundations
import Logging
import NIOCore
import OutputConformance
import PushModel
import PushSending
import PushSimulator
import Store
import ThirdPartyOutput

extension OutputHarness {
    /// A harness for the example of a third-party output, with a double of ntfy over TLS and HTTP/2.
    static let ntfy = ntfy(requestTimeoutSeconds: 30)

    /// A harness with a short request timeout, for rules that wait for a silent provider.
    static let impatientNtfy = ntfy(requestTimeoutSeconds: 10)

    private static func ntfy(requestTimeoutSeconds: Int) -> OutputHarness {
        let plugin = NtfyPlugin(), tokens = ["tk_old", "tk_new"]
        let doubtful = "doubtful", credentialRefused = "unauthorized"
        let samples = OutputSamples(
            payload: #"{"message":"Hi"}"#, refused: ["no topic"], doubtful: [doubtful],
            credentialRefused: [credentialRefused],
            credentials: tokens.map {
                Credential(
                    id: $0, output: plugin.name, kind: .secret(Secret($0.utf8)), account: "shop",
                    environments: [.production])
            },
            crowd: 3 * SimulatedProvider<NtfyDouble>.streams)
        return OutputHarness(plugin.name, samples: samples) {
            let double = try await SimulatedProvider<NtfyDouble>(tokens: tokens)
            double.simulator.setAnswer(NtfyAnswer(status: 403), forToken: doubtful)
            double.simulator.setAnswer(NtfyAnswer(status: 401), forToken: credentialRefused)
            return OutputSetup(
                plugin: plugin,
                output: try double.makeOutput(name: plugin.name, requestTimeoutSeconds: requestTimeoutSeconds),
                behaviours: double.behaviours, arrivals: { double.arrivals },
                openConnections: { await double.openConnections }, stop: { await double.stop() })
        }
    }
}

extension SimulatedProvider<NtfyDouble> {
    static let streams = 10

    convenience init(tokens: [String]) async throws {
        var configuration = ServerConfiguration()
        configuration.controlPort = nil
        configuration.streamLimit = Self.streams
        let logger = Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() }
        try await self.init(
            SimulatedService(NtfyDouble(tokens: Set(tokens)), configuration: configuration, logger: logger),
            Answers(
                refused: NtfyAnswer(status: 400), busy: NtfyAnswer(status: 429),
                credentialRefused: NtfyAnswer(status: 401), nonsense: NtfyAnswer(isNonsense: true)))
    }

    func makeOutput(name: String, requestTimeoutSeconds: Int) throws -> ProviderSender {
        let context = OutputContext(
            settings: OutputSettings([]), tokens: LocalTokenStore(clock: { .now }), clock: { .now },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let provider = NtfyProvider(endpoint: Endpoint(host: "localhost", port: 443))
        return try ProviderSender(provider, name: name, context) { [simulator] configuration in
            configuration.authorityFile = authority.path
            configuration.maximumConnections = 1
            configuration.requestTimeoutSeconds = requestTimeoutSeconds
            configuration.connectTimeoutSeconds = 30
            configuration.breakMilliseconds = 200
            configuration.resolve = { _, _ in [try SocketAddress(ipAddress: "127.0.0.1", port: simulator.port)] }
        }
    }
}
