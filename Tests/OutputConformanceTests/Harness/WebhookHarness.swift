import Foundation
import OutputConformance
import PushModel
import WebhookOutput

extension OutputHarness {
    /// A harness for the webhook output, with a scripted receiver over TLS as its double.
    static let webhook = webhook(requestTimeoutSeconds: 30)

    /// A harness with a short request timeout, for rules that wait for a silent provider.
    static let impatientWebhook = webhook(requestTimeoutSeconds: 10)

    private static func webhook(requestTimeoutSeconds: Int) -> OutputHarness {
        let samples = OutputSamples(
            refused: ["refused"], dead: ["dead"], doubtful: ["doubtful-401", "doubtful-404", "doubtful-409"],
            credentials: ["old", "new"].map { ScriptedReceiver.credential(id: $0) },
            // At most two batches of ten recipients are in flight.
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
