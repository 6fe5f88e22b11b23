import Foundations

/// A counter or gauge with a single writer, its owner, which is a queue, an event loop or a thread. Any thread may read
/// the value. Writing uses neither a lock nor an atomic read-modify-write instruction.
package final class MetricCell: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    package var value: Int { number.load(ordering: .relaxed) }

    /// Adds to the value. Only the owner may call this method, because one of two concurrent additions would be lost.
    package func add(_ count: Int = 1) {
        number.store(number.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    /// Sets the value. Only the owner may call this method.
    package func set(_ value: Int) { number.store(value, ordering: .relaxed) }
}

/// A histogram with fixed bucket bounds and a single writer, its owner, as with ``MetricCell``.
package final class MetricHistogram: Sendable {
    /// The contents of a histogram at one moment: the count of each bucket, not cumulative, and the sum of all observed
    /// values.
    package struct Reading: Sendable, Hashable {
        package var counts: [Int]
        package var sum: Int

        package var count: Int { counts.reduce(0, &+) }
    }

    /// The upper bounds of all buckets except the last, in ascending order and in the unit of the observed values. A
    /// value that equals a bound is counted in the bucket that ends at this bound.
    package let bounds: [Int]
    /// The number of observed values in each bucket. The last bucket has no upper bound.
    private let counts: [MetricCell]
    private let sum = MetricCell()

    package init(bounds: [Int]) {
        self.bounds = bounds
        counts = (0...bounds.count).map { _ in MetricCell() }
    }

    package var reading: Reading { Reading(counts: counts.map(\.value), sum: sum.value) }

    /// Records a value. Only the owner may call this method.
    ///
    /// - Parameter times: the number of times that the value was observed.
    package func observe(_ value: Int, times: Int = 1) {
        var place = 0
        while place < bounds.count, value > bounds[place] { place += 1 }
        counts[place].add(times)
        sum.add(value &* times)
    }
}
