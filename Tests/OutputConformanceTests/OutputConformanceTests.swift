import MartletOutputs
import OutputConformance
import PushModel
import Testing

/// The conformance of every output to every rule.
@Suite struct OutputConformanceTests {
    private static let harnesses: [OutputHarness] = [.apns, .fcm, .webPush, .webhook, .discard, .ntfy]

    /// The harnesses with a short request timeout, for the rules in ``impatient``.
    private static let impatientHarnesses: [OutputHarness] = [
        .impatientAPNS, .impatientFCM, .impatientWebPush, .impatientWebhook, .impatientNtfy,
    ]

    /// The rules that test a silent provider, and that pass even if a push times out early.
    private static let impatient: Set<String> = ["provider is silent", "recovers", "calls return"]

    /// The rules that may be skipped for an output, with the reasons. All other rules must be tried.
    private static let skipped: [String: Set<String>] = [
        // This output has no provider and no connections, and its jobs never wait.
        "discard": [
            "delivers once", "refused recipients", "dead recipients", "doubtful refusals", "stated refusals",
            "provider refuses",
            "provider is busy", "credential refused", "provider talks nonsense", "provider hangs up",
            "provider is silent",
            "provider is away",
            "recovers", "credential not named yet", "credential retired", "job of a retired credential",
            "credential taken back", "retired connections close", "second credential of an account", "cancel",
            "stop returns", "stop awaits the wire", "shutDown closes",
        ],
        // A receiver's answer to a batch never states that the credential is at fault.
        "webhook": ["stated refusals"],
        // The provider never reports a topic as dead.
        "ntfy": ["dead recipients"],
    ]

    @Test(arguments: harnesses.map(\.name), ConformanceSuite.rules)
    func conformsToEveryRule(_ name: String, _ rule: ConformanceRule) async throws {
        let harnesses = (Self.impatient.contains(rule.name) ? Self.impatientHarnesses : []) + Self.harnesses
        let harness = try #require(harnesses.first { $0.name == name })
        let result = await ConformanceSuite(harness).result(of: rule)
        let isSkipped = Self.skipped[name]?.contains(rule.name) ?? false
        #expect(result.verdict == (isSkipped ? .skipped : .passed), "\(result)")
    }

    /// An output without a harness would not be tried at all.
    @Test func hasHarnessForEveryOutput() {
        let tried = Set(Self.harnesses.map(\.name))
        #expect(Martlet.outputs.map(\.name).filter { !tried.contains($0) } == [])
    }
}
