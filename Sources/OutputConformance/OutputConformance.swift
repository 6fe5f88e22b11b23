/// What the host relies on, whatever the output: rules that are tried one by one on an output that sends to a double of
/// its service.
///
/// ```swift
/// let suite = OutputConformance(OutputHarness("carrier-pigeon") {
///     OutputSetup(plugin: PigeonPlugin(), output: PigeonOutput(loft: .paper))
/// })
/// for result in await suite.results() { print(result) }
/// ```
///
/// Whatever the rule, each recipient handed in has exactly one outcome in the end, and shutDown returns.
///
/// It needs no test library: a result is a value, for any that there is. docs/output.md shows it in one.
public struct OutputConformance: Sendable {
    /// All rules, in the order in which to read them.
    public static let rules: [ConformanceRule] = [
        OutcomeRules.all, DeliveryRules.all, DeadlineRules.all, BadDayRules.all, HostileInputRules.all,
        CredentialRules.all,
        CancellingRules.all, StoppingRules.all, CallRules.all, RetentionRules.all,
    ].flatMap { $0 }

    private let harness: OutputHarness
    private let limits: ConformanceLimits

    public init(_ harness: OutputHarness, limits: ConformanceLimits = ConformanceLimits()) {
        self.harness = harness
        self.limits = limits
    }

    /// Tries one rule on an output made for it; rules may be tried side by side.
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
            return result(.failed, ["could not be tried: \(error)"])
        }
    }

    /// Tries all rules, one after another.
    public func results() async -> [ConformanceResult] {
        var results: [ConformanceResult] = []
        for rule in Self.rules { results.append(await result(of: rule)) }
        return results
    }
}
