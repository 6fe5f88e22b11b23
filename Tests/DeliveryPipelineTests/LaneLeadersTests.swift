import AMQPClient
import Contract
import DeliveryPipeline
import Testing

@Suite struct LaneLeadersTests {
    private func crowded(_ shards: Int, _ leaders: [String: String], nodes: Int) throws -> [String] {
        let sharding = try #require(PipelineNames(shards: shards).topology(delays: []).sharding)
        return LaneLeaders.crowded(sharding, leaders: leaders, nodes: nodes)
    }

    @Test func reportsLaneLedByTooFewNodes() throws {
        let one = ["martlet.jobs.normal": "a", "martlet.jobs.normal.2": "a", "martlet.jobs.normal.3": "a"]
        #expect(try crowded(3, one, nodes: 3) == ["martlet.jobs.normal"])
        #expect(try crowded(3, one, nodes: 1) == [])
        #expect(try crowded(1, one, nodes: 3) == [], "shards beyond the configured number must not count")
        let two = one.merging(["martlet.jobs.normal.3": "b", "martlet.jobs.bulk": "a"]) { $1 }
        #expect(try crowded(3, two, nodes: 2) == [])
        #expect(try crowded(3, two, nodes: 3) == ["martlet.jobs.normal"], "bulk has unknown leaders")
    }
}
