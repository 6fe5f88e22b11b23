import Foundation
import OutputConformance
import PushModel
import WebhookOutput

extension OutputHarness {
    /// Its double is a receiver that answers as it is told, over TLS.
    static let webhook = webhook(requestTimeoutSeconds: 30)

    /// For rules whose provider is silent: they wait for it.
    static let impatientWebhook = webhook(requestTimeoutSeconds: 10)

    private static func webhook(requestTimeoutSeconds: Int) -> OutputHarness {
        let samples = OutputSamples(
            refused: ["refused"], dead: ["dead"], doubtful: ["doubtful-401", "doubtful-404", "doubtful-409"],
            credentials: ["old", "new"].map { ScriptedReceiver.credential(id: $0) },
            // Two batches at a time, of ten.
            crowd: 60)
        return OutputHarness(WebhookPlugin().name, samples: samples) {
            let double = try await ScriptedReceiver()
            return OutputSetup(
                plugin: WebhookPlugin(), output: double.makeOutput(requestTimeoutSeconds: requestTimeoutSeconds),
                behaviours: double.behaviours, arrivals: { double.arrivals },
                openConnections: { double.openConnections }, stop: { await double.stop() })
        }
    }
}
