/// The values of all series in a registry at one moment. The value of a series is the sum over all its owners.
package struct MetricPage: Sendable {
    package enum Value: Sendable, Hashable {
        case number(Int)
        case histogram(MetricHistogram.Reading)
    }

    package struct Labels: Sendable, Hashable {
        package let names: [String]
        package let values: [String]
    }

    private var series: [MetricFamily: [Labels: Value]] = [:]

    package init() {}

    package mutating func add(_ family: MetricFamily, _ value: Int) { add(family, [], value) }

    package mutating func add(_ family: MetricFamily, _ labels: [String], _ value: Int) {
        let labels = Labels(names: family.labels, values: labels)
        var sum = value
        if case .number(let before) = series[family]?[labels] { sum &+= before }
        series[family, default: [:]][labels] = .number(sum)
    }

    package mutating func add(_ family: MetricFamily, _ labels: [String], _ reading: MetricHistogram.Reading) {
        let labels = Labels(names: family.labels, values: labels)
        var sum = reading
        if case .histogram(let before) = series[family]?[labels] {
            sum.counts = zip(sum.counts, before.counts).map { $0 &+ $1 }
            sum.sum &+= before.sum
        }
        series[family, default: [:]][labels] = .histogram(sum)
    }

    /// Returns the series of a family that is not a histogram, sorted by their labels.
    package func values(of family: MetricFamily) -> [(labels: [String: String], value: Double)] {
        sorted(family).compactMap { labels, value in
            guard case .number(let number) = value else { return nil }
            return (
                Dictionary(zip(labels.names, labels.values), uniquingKeysWith: { first, _ in first }),
                Double(number) / Double(family.scale)
            )
        }
    }

    /// Returns the number of observations in each series of a histogram family, sorted by labels.
    package func counts(of family: MetricFamily) -> [(labels: [String: String], count: Int)] {
        sorted(family).compactMap { labels, value in
            guard case .histogram(let reading) = value else { return nil }
            return (
                Dictionary(zip(labels.names, labels.values), uniquingKeysWith: { first, _ in first }), reading.count
            )
        }
    }

    package func sorted(_ family: MetricFamily) -> [(labels: Labels, value: Value)] {
        (series[family] ?? [:]).sorted { $0.key.values.lexicographicallyPrecedes($1.key.values) }
            .map { ($0.key, $0.value) }
    }
}
