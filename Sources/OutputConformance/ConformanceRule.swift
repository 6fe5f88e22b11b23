/// Something that every output does.
public struct ConformanceRule: Sendable {
    /// In a few words, unlike all others.
    public let name: String
    /// In a sentence.
    public let demand: String
    let needs: [HarnessPart]
    /// What was not as it must be, a line for each.
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
