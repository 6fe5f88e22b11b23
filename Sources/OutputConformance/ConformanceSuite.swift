/// A test suite for the rules that every output must follow. Each rule is checked with an output that sends to a double
/// of its service.
///
/// ```swift
/// let suite = ConformanceSuite(OutputHarness("carrier-pigeon") {
///     OutputSetup(plugin: PigeonPlugin(), output: PigeonOutput(loft: .paper))
/// })
/// for result in await suite.results() { print(result) }
/// ```
///
/// For every rule, the suite also checks that each recipient gets exactly one outcome and that `shutDown` returns.
///
/// The suite works with any test library because a result is a plain value. docs/output.md has an example.
public struct ConformanceSuite: Sendable {
    /// All rules of the suite, in the order of execution.
    public static let rules: [ConformanceRule] = [
        OutcomeRules.all, DeliveryRules.all, DeadlineRules.all, ProviderFailureRules.all, HostileInputRules.all,
        CredentialRules.all,
        CancellingRules.all, StoppingRules.all, CallRules.all, RetentionRules.all,
    ].flatMap { $0 }

    private let harness: OutputHarness
    private let limits: ConformanceLimits

    public init(_ harness: OutputHarness, limits: ConformanceLimits = ConformanceLimits()) {
        self.harness = harness
        self.limits = limits
    }

    /// Checks one rule with an output that is created for it. Rules may be checked in parallel.
    public func result(of rule: ConformanceRule) async -> ConformanceResult {
        func result(_ verdict: ConformanceResult.Verdict, _ lines: [String]) -> ConformanceResult {
            ConformanceResult(rule: rule, subject: harness.name, verdict: verdict, lines: lines)
        }
        do {
            let setup = try await harness.make()
            let trial = Trial(harness, setup, limits)
            let missing = rule.needs.filter { !$0.isMet(by: harness, setup) }
            guard missing.isEmpty else {
                _ = await trial.end()
                return result(.skipped, missing.map { "the harness has no \($0)" })
            }
            let found = await Result.of { try await rule.problems(trial) }
            let atTheEnd = await trial.end()
            let problems = try found.get() + atTheEnd
            return result(problems.isEmpty ? .passed : .failed, problems)
        } catch {
            return result(.failed, ["could not be checked: \(error)"])
        }
    }

    /// Checks all rules in sequence.
    public func results() async -> [ConformanceResult] {
        var results: [ConformanceResult] = []
        for rule in Self.rules { results.append(await result(of: rule)) }
        return results
    }
}
