/// A metric family: its name, its explanation and the labels of its series. ``all`` lists the families of a worker,
/// which docs/operate.md explains.
package struct MetricFamily: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A value that only rises.
        case counter
        case gauge
        /// The constant value 1, with the information in the labels.
        case info
        /// A histogram with these upper bounds, rising, in the shown unit.
        case histogram([Double])
    }

    /// The name with its prefix. The name of a counter ends with `_total`.
    package let name: String
    package let kind: Kind
    package let help: String
    package private(set) var labels: [String]
    /// The divisor that turns the value of a cell into the shown value.
    package let scale: Int
    /// The upper bounds of a histogram in the unit of its cells. Empty for other kinds.
    package let bounds: [Int]

    /// - Parameter scale: the divisor for cell values, such as 1000 if cells count milliseconds and the metric shows
    ///   seconds.
    package init(
        _ name: String, _ kind: Kind, _ help: String, labels: [String] = [], scale: Int = 1, prefix: String = "martlet_"
    ) {
        self.name = prefix + name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.scale = scale
        if case .histogram(let shown) = kind {
            bounds = shown.map { Int(($0 * Double(scale)).rounded()) }
        } else {
            bounds = []
        }
    }

    /// Returns this family with another name for the last label.
    package func with(lastLabel name: String) -> Self {
        var family = self
        family.labels = labels.dropLast() + [name]
        return family
    }

    /// Families with the same name are equal.
    package static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
