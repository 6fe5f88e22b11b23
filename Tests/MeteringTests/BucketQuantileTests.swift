import Metering
import Testing

@Suite struct BucketQuantileTests {
    @Test(
        arguments: [
            // The quantile, the counts of the buckets with the bounds 10 and 30, and the expected estimate.
            (0.5, [0, 0, 0], nil), (0.5, [10, 0, 0], 5), (0.99, [100, 0, 0], 10), (0.5, [0, 10, 0], 20),
            (0.5, [10, 10, 0], 10), (0.75, [10, 10, 0], 20), (1, [10, 0, 1], 60), (0.01, [1_000, 0, 0], 1),
        ] as [(Double, [Int], Int?)])
    func interpolatesWithinBucket(share: Double, counts: [Int], expected: Int?) {
        #expect(BucketQuantile.estimate(share, counts: counts, bounds: [10, 30]) == expected)
    }
}
