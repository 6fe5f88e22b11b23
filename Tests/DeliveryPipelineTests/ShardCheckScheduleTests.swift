import DeliveryPipeline
import Testing

@Suite struct ShardCheckScheduleTests {
    private var watch = ShardCheckSchedule()

    private func counts(_ shards: Int, lacks: Bool = false) -> PipelineCounts {
        var counts = PipelineCounts()
        (counts.shards, counts.lacksShards) = (shards, lacks)
        return counts
    }

    /// Returns the calls, by number, in which the watch looks if the counts stay the same.
    private mutating func looks(_ times: Int, _ counts: PipelineCounts, most: Int) -> [Int] {
        (0..<times).filter { _ in watch.mustLook(counts, most: most) }
    }

    @Test mutating func neverLooksIfNoShardIsMissing() {
        #expect(looks(100, counts(3), most: 3) == [] && looks(100, counts(3), most: 0) == [])
    }

    @Test(arguments: [(true, 3), (false, 5), (true, 5)])
    mutating func looksLessOftenForShardsThatStayMissing(lacks: Bool, most: Int) {
        let times = looks(1_000, counts(3, lacks: lacks), most: most)
        #expect(times.prefix(9) == [0, 1, 3, 7, 15, 31, 63, 127, 247])
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= 120 }, "must look at least once an hour")
    }

    @Test mutating func looksAtOnceAfterChange() {
        _ = looks(500, counts(3, lacks: true), most: 3)
        #expect(looks(4, counts(3, lacks: true), most: 4) == [0, 1, 3], "another worker has found more shards")
        #expect(looks(4, counts(2, lacks: true), most: 4) == [0, 1, 3], "a look has found fewer shards")
        #expect(looks(4, counts(2), most: 4) == [0, 1, 3])
        _ = looks(500, counts(2, lacks: true), most: 2)
        #expect(looks(1, counts(2), most: 2) == [])
        #expect(looks(4, counts(2, lacks: true), most: 2) == [0, 1, 3], "the shard was there in between")
    }
}
