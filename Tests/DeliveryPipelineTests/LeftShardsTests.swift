import AMQPClient
import DeliveryPipeline
import Testing

@Suite struct LeftShardsTests {
    private func finding(_ shards: Int, _ found: [String: Int], isDeclared: Bool = true) -> String? {
        LeftShards(
            PipelineNames(shards: shards),
            found: found.mapValues { AMQPInspection.Queue(messages: $0, consumers: 0) }
        ).finding(isDeclared: isDeclared)
    }

    @Test func checksAllPossibleShards() {
        let names = LeftShards.all(PipelineNames(shards: 2)).queues.map(\.name)
        #expect(names.count == 42 && names.contains("martlet.jobs.bulk.16") && !names.contains("martlet.jobs.bulk.2"))
        #expect(finding(2, [:]) == nil)
        #expect(LeftShards.all(PipelineNames(shards: 16)).queues == [])
    }

    @Test func distinguishesConsumedFromUnreachableShards() {
        let left = finding(1, ["martlet.jobs.urgent.2": 1, "martlet.jobs.bulk.2": 0])
        #expect(
            left
                == "queues beyond amqp.shards, which get no more jobs: martlet.jobs.urgent.2 (1 waiting), martlet.jobs.bulk.2 (0 waiting); when all are empty, delete them, the highest number first"
        )
        let hidden = finding(1, ["martlet.jobs.bulk.2": 0, "martlet.jobs.urgent.4": 5], isDeclared: false)
        #expect(hidden?.contains("which get jobs as long as they are bound: martlet.jobs.bulk.2 (0 waiting);") == true)
        #expect(
            hidden?.contains("after a gap in the numbers, which no worker consumes: martlet.jobs.urgent.4 (5 waiting)")
                == true)
        #expect(finding(1, ["martlet.jobs.bulk.16": 5])?.hasPrefix("queues behind a gap") == true)
    }
}
