/// A requirement that every output must meet.
public struct ConformanceRule: Sendable {
    /// A short name, unique among all rules.
    public let name: String
    /// The requirement as a sentence.
    public let demand: String
    let needs: [HarnessPart]
    /// The check of the rule. It returns a line of text for each violation.
    let problems: @Sendable (Trial) async throws -> [String]

    init(
        _ name: String, _ demand: String, needs: [HarnessPart] = [],
        problems: @escaping @Sendable (Trial) async throws -> [String]
    ) {
        self.name = name
        self.demand = demand
        self.needs = needs
        self.problems = problems
    }
}

extension ConformanceRule: Hashable, Identifiable, CustomStringConvertible {
    public var id: String { name }
    public var description: String { name }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
