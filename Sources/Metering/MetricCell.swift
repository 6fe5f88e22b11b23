import Threading

/// An integer that only its owner writes, which is one queue, event loop or thread. Any thread may read it. It uses
/// neither a lock nor an instruction that locks the bus.
package final class MetricCell: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    package var value: Int { number.load(ordering: .relaxed) }

    /// Adds to the value. Only the owner may call this, because one of two concurrent additions would be lost.
    package func add(_ count: Int = 1) {
        number.store(number.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    /// Sets the value. Only the owner may call this.
    package func set(_ value: Int) { number.store(value, ordering: .relaxed) }
}

/// A histogram with fixed bounds. Only its owner writes it, as with ``MetricCell``.
package final class MetricHistogram: Sendable {
    /// The counts of the buckets, not cumulative, and the sum of the observed values.
    package struct Reading: Sendable, Hashable {
        package var counts: [Int]
        package var sum: Int

        package var count: Int { counts.reduce(0, &+) }
    }

    /// The upper bounds of the buckets, rising, in the unit of the cells. A value equal to a bound is counted in the
    /// bucket below it.
    package let bounds: [Int]
    /// The cells of the buckets. The last bucket has no upper bound.
    private let counts: [MetricCell]
    private let sum = MetricCell()

    package init(bounds: [Int]) {
        self.bounds = bounds
        counts = (0...bounds.count).map { _ in MetricCell() }
    }

    package var reading: Reading { Reading(counts: counts.map(\.value), sum: sum.value) }

    /// Records a value. Only the owner may call this.
    ///
    /// - Parameter times: the number of times that the value was observed.
    package func observe(_ value: Int, times: Int = 1) {
        var place = 0
        while place < bounds.count, value > bounds[place] { place += 1 }
        counts[place].add(times)
        sum.add(value &* times)
    }
}
