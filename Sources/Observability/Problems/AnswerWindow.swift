package import Metering

/// A window of one minute over the histogram `MetricFamily.answers`, which is read every two seconds. A value type
/// without clock or I/O.
package struct AnswerWindow: Sendable {
    private struct Provider: Hashable {
        let output, environment: String
    }

    private typealias Readings = [Provider: [String: MetricHistogram.Reading]]

    package static let families: [MetricFamily] = [.answers]
    private static let length = Duration.seconds(60)
    private static let bounds = MetricFamily.answers.bounds

    private var looks: [(at: ContinuousClock.Instant, readings: Readings)] = []

    package init() {}

    package mutating func look(at page: MetricPage, now: ContinuousClock.Instant) {
        var readings: Readings = [:]
        for (labels, value) in page.sorted(.answers) {
            guard case .histogram(let reading) = value, labels.values.count == 3 else { continue }
            readings[Provider(output: labels.values[0], environment: labels.values[1]), default: [:]][
                labels.values[2]] = reading
        }
        looks.append((now, readings))
        if let first = looks.lastIndex(where: { now - $0.at >= Self.length }) { looks.removeFirst(first) }
    }

    /// The answers in the last minute by output and environment, sorted by name. Providers without answers are left
    /// out.
    package var minute: [AnswerShare] {
        guard let first = looks.first, let last = looks.last else { return [] }
        return last.readings.compactMap { provider, readings -> AnswerShare? in
            let before = first.readings[provider] ?? [:]
            var (all, counts) = ([Int](repeating: 0, count: Self.bounds.count + 1), [String: Int]())
            for (status, reading) in readings {
                let old = before[status]?.counts ?? []
                let new = reading.counts.enumerated().map { $1 - ($0 < old.count ? old[$0] : 0) }
                counts[status] = new.reduce(0, +)
                for (place, count) in new.enumerated() where place < all.count { all[place] += count }
            }
            func quantile(_ share: Double) -> Int? {
                BucketQuantile.estimate(share, counts: all, bounds: Self.bounds)
            }
            guard let p50 = quantile(0.5), let p99 = quantile(0.99) else { return nil }
            func count(_ isMeant: (String) -> Bool) -> Int {
                counts.reduce(0) { $0 + (isMeant($1.key) ? $1.value : 0) }
            }
            let answers = all.reduce(0, +)
            let (accepted, failed) = (count { $0.hasPrefix("2") }, count { $0.hasPrefix("5") || $0 == "429" })
            return AnswerShare(
                output: provider.output, environment: provider.environment, answers: answers,
                accepted: accepted, refused: answers - accepted - failed, failed: failed, p50: p50, p99: p99)
        }.sorted { ($0.output, $0.environment) < ($1.output, $1.environment) }
    }
}
