/// The definition of a metric family: its name, kind, help text and labels. docs/monitoring.md explains the families of
/// a worker, which ``all`` lists.
package struct MetricFamily: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A value that only rises.
        case counter
        case gauge
        /// The constant value 1. The labels contain the information.
        case info
        /// A histogram with these upper bucket bounds, in ascending order and in the unit that the metrics page shows.
        case histogram([Double])
    }

    /// The name with its prefix. The name of a counter ends with `_total`.
    package let name: String
    package let kind: Kind
    package let help: String
    package private(set) var labels: [String]
    /// The divisor that converts the value of a cell to the value on the metrics page.
    package let scale: Int
    /// The upper bucket bounds of a histogram, in the unit of its cells. The list is empty for other kinds.
    package let bounds: [Int]

    /// Creates a metric family.
    ///
    /// - Parameter scale: the divisor for cell values, such as 1000 if cells count milliseconds and the metrics page
    ///   shows seconds.
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

    /// Returns whether two families have the same name.
    package static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
