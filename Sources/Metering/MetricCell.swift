import Threading

/// An integer that one queue, event loop or thread writes, which is its owner, and anybody may read: no lock, and no
/// instruction that locks the bus.
package final class MetricCell: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    package var value: Int { number.load(ordering: .relaxed) }

    /// By its owner only: what two add at the same time is counted once.
    package func add(_ count: Int = 1) {
        number.store(number.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    /// By its owner only.
    package func set(_ value: Int) { number.store(value, ordering: .relaxed) }
}

/// How many of what was observed fell between fixed bounds; written by one owner, as a ``MetricCell``.
package final class MetricHistogram: Sendable {
    /// What one of its cells says of each bucket, not cumulative, and the sum of what was observed.
    package struct Reading: Sendable, Hashable {
        package var counts: [Int]
        package var sum: Int

        package var count: Int { counts.reduce(0, &+) }
    }

    /// Rising, in the family's smallest unit; a bound belongs to the bucket below it.
    package let bounds: [Int]
    /// One more than there are bounds.
    private let counts: [MetricCell]
    private let sum = MetricCell()

    package init(bounds: [Int]) {
        self.bounds = bounds
        counts = (0...bounds.count).map { _ in MetricCell() }
    }

    package var reading: Reading { Reading(counts: counts.map(\.value), sum: sum.value) }

    /// By its owner only.
    ///
    /// - Parameter times: how often it was observed.
    package func observe(_ value: Int, times: Int = 1) {
        var place = 0
        while place < bounds.count, value > bounds[place] { place += 1 }
        counts[place].add(times)
        sum.add(value &* times)
    }
}
