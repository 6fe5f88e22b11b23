package import PushModel

/// A list of the open problems, each with the time at which it began. A value type without clock or I/O.
package struct ProblemList: Sendable {
    private struct Name: Hashable {
        let kind: ProblemKind
        let subject: String
    }

    /// The open problems in the order in which an operator should look at them.
    package private(set) var open: [Problem] = []
    /// The time of the last update with an open problem that makes workers retry pushes, or `nil` if no update had one.
    package private(set) var lastProviderProblem: Timestamp?

    package init() {}

    /// Replaces the open problems. A problem that was already open keeps the time at which it began.
    ///
    /// - Returns: the problems that began with this update, and the problems that ended with it.
    package mutating func update(_ found: [Problem], now: Timestamp) -> (began: [Problem], ended: [Problem]) {
        var before = Dictionary(open.map { (Name(kind: $0.kind, subject: $0.subject), $0) }) { first, _ in first }
        var began: [Problem] = []
        open = Self.numbered(Self.sorted(found)).map { problem in
            var problem = problem
            if let known = before.removeValue(forKey: Name(kind: problem.kind, subject: problem.subject)) {
                problem.since = known.since
            } else {
                problem.since = now
                began.append(problem)
            }
            return problem
        }
        if open.contains(where: \.kind.explainsRetries) { lastProviderProblem = now }
        return (began, before.values.sorted { $0.since < $1.since })
    }

    /// Makes the subjects of problems of one kind unique by appending numbers. For example, two credentials may have
    /// the same label.
    private static func numbered(_ problems: [Problem]) -> [Problem] {
        var counts: [Name: Int] = [:]
        return problems.map { problem in
            let name = Name(kind: problem.kind, subject: problem.subject)
            counts[name, default: 0] += 1
            guard let count = counts[name], count > 1 else { return problem }
            return Problem(
                problem.kind, problem.text,
                subject: problem.subject.isEmpty ? "\(count)" : "\(problem.subject) (\(count))",
                severity: problem.severity, party: problem.party)
        }
    }

    private static func sorted(_ found: [Problem]) -> [Problem] {
        let order = Problem.Party.allCases
        func rank(_ item: (offset: Int, element: Problem)) -> (Int, Int, Int) {
            (
                item.element.severity == .trouble ? 0 : 1, order.firstIndex(of: item.element.party) ?? 0, item.offset
            )
        }
        return found.enumerated().sorted { rank($0) < rank($1) }.map(\.element)
    }
}
