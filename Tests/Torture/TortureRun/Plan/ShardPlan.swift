import TestSupport

/// The numbers of shards per lane in the workers' configurations. A number depends on the seed, and it changes at each
/// start of the worker.
package struct ShardPlan: Sendable {
    package static let most = 3

    private let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    /// Returns the number of shards per lane for a worker.
    ///
    /// - Parameter start: the number of starts of the worker so far, including this one.
    package func shards(worker: Int, start: Int) -> Int {
        var generator = SplitMix64(seed: seed &+ UInt64(worker) &* 0x9E37_79B9_7F4A_7C15)
        var shards = Int.random(in: 1...Self.most, using: &generator)
        // Consecutive starts never have the same number of shards.
        for _ in 1..<max(1, start) {
            shards = 1 + (shards - 1 + Int.random(in: 1..<Self.most, using: &generator)) % Self.most
        }
        return shards
    }
}
