import TestSupport

/// How many queues a lane has by the word of each worker: by the seed another number at each of its starts.
package struct ShardPlan: Sendable {
    package static let most = 3

    private let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    /// - Parameter start: of the worker, from 1.
    package func shards(worker: Int, start: Int) -> Int {
        var generator = SplitMix64(seed: seed &+ UInt64(worker) &* 0x9E37_79B9_7F4A_7C15)
        var shards = Int.random(in: 1...Self.most, using: &generator)
        // Never the same twice in a row.
        for _ in 1..<max(1, start) {
            shards = 1 + (shards - 1 + Int.random(in: 1..<Self.most, using: &generator)) % Self.most
        }
        return shards
    }
}
