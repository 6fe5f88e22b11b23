import OutputConformance
import PushModel
import WebPushOutput
import WebPushSimulator

extension OutputHarness {
    /// A harness for the Web Push output, with a simulator of Mozilla's service over TLS as its double.
    static let webPush = webPush(requestTimeoutSeconds: 30)

    /// A harness with a short request timeout, for rules that wait for a silent provider.
    static let impatientWebPush = webPush(requestTimeoutSeconds: 10)

    private static func webPush(requestTimeoutSeconds: Int) -> OutputHarness {
        let subscriptions = SampleSubscriptions()
        let doubtful = subscriptions.endpoint(), credentialRefused = subscriptions.endpoint()
        var samples = OutputSamples(
            refused: ["https://elsewhere.example.test/push/1", "no endpoint"],
            dead: [subscriptions.endpoint(.gone), subscriptions.endpoint(.unknown)], doubtful: [doubtful],
            credentialRefused: [credentialRefused],
            credentials: ["old", "new"].map { id in
                Credential(id: id, kind: .secret(key), account: id, environments: [.production])
            },
            crowd: 3 * 2 * SimulatedProvider<WebPushDouble>.streams
        ) { _ in subscriptions.endpoint() }
        samples.address = { subscriptions.address($0) }
        return OutputHarness("webpush", samples: samples) {
            let double = try await SimulatedProvider<WebPushDouble>(subscriptions)
            double.simulator.setAnswer(PlannedWebPushAnswer(.internalError, status: 403), forToken: doubtful)
            double.simulator.setAnswer(PlannedWebPushAnswer(.badToken), forToken: credentialRefused)
            return OutputSetup(
                plugin: WebPushPlugin(), output: double.makeOutput(requestTimeoutSeconds: requestTimeoutSeconds),
                behaviours: double.behaviours, arrivals: { double.arrivals },
                openConnections: { await double.openConnections }, stop: { await double.stop() })
        }
    }

    private static let key = (try? VAPIDKey(subject: "mailto:push@example.com").sealed()) ?? Secret([])
}
