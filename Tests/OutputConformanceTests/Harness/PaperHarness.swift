import OutputConformance
import PushModel

extension OutputHarness {
    /// Returns a harness for the in-memory output, with one fault or none.
    static func paper(_ fault: PaperFault? = nil) -> OutputHarness {
        let credentials = ["old", "new"].map { id in
            Credential(
                id: id, kind: .token(keyID: id, privateKeyPEM: Secret([])), account: "paper",
                environments: [.production])
        }
        let samples = OutputSamples(
            refused: [PaperProvider.refused], dead: [PaperProvider.dead], doubtful: [PaperProvider.doubtful],
            credentialRefused: [PaperProvider.keyRefused], credentials: credentials,
            crowd: 3 * PaperOutput.wire)
        let plugin = PaperPlugin(fault: fault)
        return OutputHarness(plugin.name, samples: samples) {
            let provider = PaperProvider()
            let behaviours = ProviderBehaviour.allCases.map { behaviour in
                (behaviour, { @Sendable () async throws -> Void in provider.behave(behaviour) })
            }
            return OutputSetup(
                plugin: plugin, output: PaperOutput(provider, fault),
                behaviours: Dictionary(uniqueKeysWithValues: behaviours),
                arrivals: { provider.arrivals }, openConnections: { provider.openConnections })
        }
    }
}
