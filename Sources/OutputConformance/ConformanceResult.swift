/// The result of a check of one rule.
public struct ConformanceResult: Sendable {
    public enum Verdict: String, Sendable {
        case passed
        case failed
        /// The harness lacks a part that the rule requires.
        case skipped
    }

    public let rule: ConformanceRule
    /// The name of the harness.
    public let subject: String
    public let verdict: Verdict
    /// The violations that were found, or the parts that the harness lacks.
    public let lines: [String]
}

extension ConformanceResult: CustomStringConvertible {
    private static let mostLines = 10

    public var description: String {
        let more = lines.count - Self.mostLines
        let shown = lines.prefix(Self.mostLines) + (more > 0 ? ["and \(more) more"] : [])
        let head = "\(subject): \(rule.name): \(verdict.rawValue)"
        return ([verdict == .failed ? "\(head); \(rule.demand)" : head] + shown).joined(separator: "\n  ")
    }
}
