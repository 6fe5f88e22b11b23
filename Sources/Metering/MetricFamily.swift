/// What is measured: a name, what it means, and the labels that each series of it has. The one list of all of them is
/// ``all``, which docs/operate.md explains.
package struct MetricFamily: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Only rises.
        case counter
        case gauge
        /// Always 1: what there is to say is in the labels.
        case info
        /// Bounds as they are shown, rising.
        case histogram([Double])
    }

    /// With the prefix; a counter's ends with `_total`.
    package let name: String
    package let kind: Kind
    package let help: String
    package private(set) var labels: [String]
    /// How many of what its cells count make one of what is shown.
    package let scale: Int
    /// Of a histogram, as its cells count.
    package let bounds: [Int]

    /// - Parameter scale: 1000 where cells count milliseconds and seconds are shown.
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

    /// The same where some series have another label in the place of the last.
    package func with(lastLabel name: String) -> Self {
        var family = self
        family.labels = labels.dropLast() + [name]
        return family
    }

    /// Two of the same name are the same.
    package static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
