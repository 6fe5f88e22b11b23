import OutputConformance
import Testing

/// The rules themselves: an output that keeps all of them passes, and one that breaks one fails there.
@Suite struct FaultTests {
    private static let limits = ConformanceLimits(patience: .seconds(8), call: .seconds(1))

    /// Faults that can't be had alone, with the other rules that they break.
    private static let others: [PaperFault: Set<String>] = [
        .knowsMarks: ["dead recipients"], .neverEnds: ["all is let go"],
        .repeatsItself: ["jobs are let go"],
    ]

    private func results(_ fault: PaperFault?, _ limits: ConformanceLimits) async -> [ConformanceResult] {
        let suite = OutputConformance(.paper(fault), limits: limits)
        return await withTaskGroup { group in
            for rule in OutputConformance.rules { group.addTask { await suite.result(of: rule) } }
            var results: [ConformanceResult] = []
            for await result in group { results.append(result) }
            return results
        }
    }

    @Test func eachRuleHasANameAndAFault() {
        #expect(OutputConformance.rules.map(\.name) == PaperFault.allCases.map(\.rawValue))
    }

    @Test func anOutputThatKeepsAllPasses() async {
        for result in await results(nil, ConformanceLimits()) { #expect(result.verdict == .passed, "\(result)") }
    }

    @Test(arguments: PaperFault.allCases) func aFaultBreaksItsRule(_ fault: PaperFault) async {
        let failed = await results(fault, Self.limits).filter { $0.verdict != .passed }
        #expect(
            Set(failed.map(\.rule.name)) == (Self.others[fault] ?? []).union([fault.rawValue]),
            "\(failed.map(\.description).joined(separator: "\n"))")
    }

    @Test func whatTheHarnessLacksIsSkippedAndSaid() async {
        var harness = OutputHarness.paper()
        harness.make = { [make = harness.make] in
            var setup = try await make()
            setup.behaviours[.slow] = nil
            return setup
        }
        let results = await OutputConformance(harness).results().filter { $0.verdict == .skipped }
        #expect(
            results.map(\.rule.name) == ["credential retired", "cancel", "stop brings back", "stop awaits the wire"])
        #expect(results.allSatisfy { $0.lines == ["the harness has no double that is slow, and then accepts again"] })
        #expect(
            "\(results.first.map { "\($0)" } ?? "")".hasPrefix("paper: credential retired: skipped\n  the harness has"))
    }

    @Test func aDoubleThatCannotStartFails() async throws {
        struct NoPort: Error {}
        let suite = OutputConformance(OutputHarness("away") { throw NoPort() })
        let result = await suite.result(of: try #require(OutputConformance.rules.first))
        #expect(result.verdict == .failed)
        #expect(result.lines == ["could not be tried: NoPort()"])
    }
}
