package import Metering

/// The counts of one output in one interval of the history. All counts are sums over time, so the counts of several
/// workers can be added.
package struct HistoryCounts: Sendable, Hashable {
    /// The upper bounds of the answer times, in milliseconds. They are a subset of the bounds of the metric
    /// `MetricFamily.answers`, because a worker's row has no room for all of them.
    package static let bounds = [10, 25, 50, 100, 250, 500, 1_000, 2_000, 5_000]
    package static let results = 3
    /// The number of fields, which are the results and the buckets of answer times. There is one bucket more than
    /// ``bounds``.
    static let fields = results + bounds.count + 1

    /// The numbers of sent, retried and refused pushes, followed by the numbers of the provider's answers in each
    /// bucket of answer times.
    package var all = Array(repeating: 0, count: fields)

    package init() {}

    package init(_ all: ArraySlice<Int>) { self.all = Array(all) }

    package var sent: Int { all[0] }
    /// The number of pushes that were retried or held.
    package var retried: Int { all[1] }
    /// The number of pushes that ended with an outcome other than `sent`.
    package var refused: Int { all[2] }
    package var answers: ArraySlice<Int> { all[Self.results...] }

    /// Returns the counts since an earlier reading of the same counters.
    package func since(_ earlier: Self) -> Self {
        var difference = self
        for place in all.indices { difference.all[place] = max(0, all[place] - earlier.all[place]) }
        return difference
    }

    /// Returns an estimate of a quantile of the answer times in milliseconds, or `nil` if there are no answers.
    package func quantile(_ share: Double) -> Int? {
        BucketQuantile.estimate(share, counts: answers, bounds: Self.bounds)
    }
}

/// The counters of the history, read from the metrics at one moment.
package struct HistoryReading: Sendable, Hashable {
    package static let families: [MetricFamily] = [.pushesByOutput, .answers]
    private static let results = ["sent", "retried", "refused"]
    /// The index in ``HistoryCounts/all`` that corresponds to each bucket of the metric.
    private static let places = MetricFamily.answers.bounds.map { bound in
        HistoryCounts.results
            + (HistoryCounts.bounds.firstIndex { bound <= $0 } ?? HistoryCounts.bounds.count)
    }

    package private(set) var outputs: [String: HistoryCounts] = [:]

    package init(_ page: MetricPage) {
        for (labels, value) in page.sorted(.pushesByOutput) {
            guard case .number(let count) = value, labels.values.count == 2,
                let place = Self.results.firstIndex(of: labels.values[1])
            else { continue }
            outputs[labels.values[0], default: .init()].all[place] += count
        }
        for (labels, value) in page.sorted(.answers) {
            guard case .histogram(let reading) = value, let output = labels.values.first else { continue }
            for (bucket, count) in reading.counts.enumerated() where count > 0 {
                let place = bucket < Self.places.count ? Self.places[bucket] : HistoryCounts.fields - 1
                outputs[output, default: .init()].all[place] += count
            }
        }
    }
}
