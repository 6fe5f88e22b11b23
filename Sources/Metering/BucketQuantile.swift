/// An estimator of quantiles from the counts of a histogram's buckets.
package enum BucketQuantile {
    /// Returns an estimate of the value that a share of the observations does not exceed, or `nil` if there are no
    /// observations. It is interpolated linearly within a bucket, as in Prometheus' `histogram_quantile`, except in the
    /// last bucket.
    ///
    /// - Parameters:
    ///   - share: the share of the observations, from 0 to 1.
    ///   - counts: the observations in each bucket, not cumulative. The last bucket has no upper bound; a quantile in
    ///     it is twice the last bound.
    ///   - bounds: the upper bounds of all buckets except the last, rising.
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
