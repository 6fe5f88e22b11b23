import MartletOutputs
import OutputConformance
import PushModel
import Testing

/// Every output keeps every rule.
@Suite struct OutputConformanceTests {
    private static let harnesses: [OutputHarness] = [.apns, .fcm, .webPush, .webhook, .discard, .logbook]

    /// In place of those.
    private static let impatientHarnesses: [OutputHarness] = [
        .impatientAPNS, .impatientFCM, .impatientWebPush, .impatientWebhook,
    ]

    /// What has a provider that is silent and is no worse for a push that was given up early.
    private static let impatient: Set<String> = ["provider is silent", "recovers", "calls return"]

    /// What can't be tried, and why it need not be. Nothing else may be skipped.
    private static let skipped: [String: Set<String>] = [
        // It has no provider, so nothing comes from one, and no connection; and it waits for nothing.
        "discard": [
            "delivers once", "refused recipients", "dead recipients", "doubtful refusals", "provider refuses",
            "provider is busy", "credential refused", "provider talks nonsense", "provider hangs up",
            "provider is silent",
            "provider is away",
            "recovers", "credential not named yet", "credential retired", "job of a retired credential",
            "credential taken back", "retired connections close", "second credential of an account", "cancel",
            "stop returns", "stop awaits the wire", "shutDown closes",
        ],
        // Its provider is a file: there or not, and never slow. It needs no credentials and has no connection.
        "logbook": [
            "refused recipients", "doubtful refusals", "provider refuses", "provider is busy", "credential refused",
            "provider talks nonsense", "provider hangs up", "provider is silent", "credential not named yet",
            "credential retired", "job of a retired credential", "credential taken back", "retired connections close",
            "second credential of an account", "cancel", "stop returns", "stop awaits the wire", "shutDown closes",
        ],
    ]

    @Test(arguments: harnesses.map(\.name), OutputConformance.rules)
    func everyOutputKeepsEveryRule(_ name: String, _ rule: ConformanceRule) async throws {
        let harnesses = (Self.impatient.contains(rule.name) ? Self.impatientHarnesses : []) + Self.harnesses
        let harness = try #require(harnesses.first { $0.name == name })
        let result = await OutputConformance(harness).result(of: rule)
        let isSkipped = Self.skipped[name]?.contains(rule.name) ?? false
        #expect(result.verdict == (isSkipped ? .skipped : .passed), "\(result)")
    }

    /// An output of the list that nobody has made a harness for would not be tried.
    @Test func everyOutputOfTheListHasAHarness() {
        let tried = Set(Self.harnesses.map(\.name))
        #expect(Martlet.outputs.map(\.name).filter { !tried.contains($0) } == [])
    }
}
