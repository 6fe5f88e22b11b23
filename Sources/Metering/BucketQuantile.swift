/// An estimator of quantiles from the counts of a histogram's buckets.
package enum BucketQuantile {
    /// Returns an estimate of a quantile, or `nil` if there are no observations. The value is interpolated linearly
    /// within its bucket, as by Prometheus' `histogram_quantile`. A quantile in the last bucket is estimated as twice
    /// the largest bound.
    ///
    /// - Parameters:
    ///   - share: the quantile, from 0 to 1. For example, 0.99 is the 99th percentile.
    ///   - counts: the number of observations in each bucket, not cumulative. The last bucket has no upper bound.
    ///   - bounds: the upper bounds of all buckets except the last, in ascending order.
    package static func estimate(_ share: Double, counts: some Collection<Int>, bounds: [Int]) -> Int? {
        let total = counts.reduce(0, +)
        guard total > 0 else { return nil }
        let rank = Double(total) * share
        var below = 0
        for (place, count) in counts.enumerated() where count > 0 {
            if Double(below + count) >= rank {
                guard place < bounds.count else { break }
                let lower = place == 0 ? 0 : bounds[place - 1]
                let part = (rank - Double(below)) / Double(count)
                return max(1, lower + Int((part * Double(bounds[place] - lower)).rounded()))
            }
            below += count
        }
        return (bounds.last ?? 0) * 2
    }
}
