import OutputConformance
import PushModel
import Testing

/// Tests of the rules themselves. A conforming output passes all rules, and an output with a fault fails the rule
/// against that fault.
///
/// The tests run one at a time, because parallel tests would delay calls that must return at once.
@Suite(.serialized) struct FaultTests {
    /// The faults that a rule detects only when its time limit, `ConformanceLimits.patience`, expires.
    private static let lasting: Set<PaperFault> = [
        .forgets, .mixesSinks, .neverRecovers, .keepsConnections, .neverEnds, .leavesOpen, .keepsJobs, .keepsItself,
    ]

    @Test func definesOneFaultForEachRule() {
        #expect(ConformanceSuite.rules.map(\.name) == PaperFault.allCases.map(\.rawValue))
    }

    @Test func passesConformingOutput() async {
        for result in await ConformanceSuite(.paper()).results() { #expect(result.verdict == .passed, "\(result)") }
    }

    @Test(arguments: PaperFault.allCases) func failsRuleThatFaultBreaks(_ fault: PaperFault) async throws {
        let rule = try #require(ConformanceSuite.rules.first { $0.name == fault.rawValue })
        let limits = ConformanceLimits(patience: .seconds(Self.lasting.contains(fault) ? 2 : 60))
        let result = await ConformanceSuite(.paper(fault), limits: limits).result(of: rule)
        #expect(result.verdict == .failed, "\(result)")
    }

    @Test func skipsRulesThatHarnessCannotTry() async {
        var harness = OutputHarness.paper()
        harness.make = { [make = harness.make] in
            var setup = try await make()
            setup.behaviours[.slow] = nil
            return setup
        }
        let results = await ConformanceSuite(harness).results().filter { $0.verdict == .skipped }
        #expect(
            results.map(\.rule.name) == ["credential retired", "cancel", "stop returns", "stop awaits the wire"])
        #expect(results.allSatisfy { $0.lines == ["the harness has no double that is slow, and then accepts again"] })
        #expect(
            "\(results.first.map { "\($0)" } ?? "")".hasPrefix("paper: credential retired: skipped\n  the harness has"))
    }

    @Test func skipsSecondCredentialRuleIfNoAccountHasTwoCredentials() async throws {
        var harness = OutputHarness.paper()
        harness.samples.credentials = ["a", "b"].map { id in
            Credential(
                id: id, kind: .token(keyID: id, privateKeyPEM: Secret([])), account: id, environments: [.production])
        }
        let rule = try #require(ConformanceSuite.rules.first { $0.name == "second credential of an account" })
        let result = await ConformanceSuite(harness).result(of: rule)
        #expect(result.verdict == .skipped)
        #expect(result.lines == ["the harness has no two samples.credentials of one account"])
    }

    @Test func failsRuleIfDoubleCannotStart() async throws {
        struct NoPort: Error {}
        let suite = ConformanceSuite(OutputHarness("away") { throw NoPort() })
        let result = await suite.result(of: try #require(ConformanceSuite.rules.first))
        #expect(result.verdict == .failed)
        #expect(result.lines == ["could not be checked: NoPort()"])
    }
}
