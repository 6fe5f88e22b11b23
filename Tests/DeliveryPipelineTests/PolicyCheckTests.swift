import AMQPClient
import Contract
import DeliveryPipeline
import Testing

struct PolicyCheckTests {
    private let names = PipelineNames()

    private func dangers(
        _ queue: String, _ numbers: [String: Int] = [:], _ texts: [String: String] = [:]
    ) -> [String] {
        PolicyCheck(
            names.topology(delays: [30]), jobs: names.jobs,
            [.init(queue: queue, names: ["all"], numbers: numbers, texts: texts)]
        ).dangers
    }

    @Test(arguments: [
        ("martlet.dead", "expires", 60_000, "deletes the queue"),
        ("martlet.delay.30", "expires", 60_000, "deletes the queue"),
        ("martlet.jobs.bulk", "expires", 60_000, "deletes the queue"),
        ("martlet.dead", "message-ttl", 60_000, "deletes messages that wait"),
        ("martlet.jobs.urgent", "message-ttl", 60_000, "dead-letters jobs that wait"),
        ("martlet.delay.30", "message-ttl", 29_999, "returns jobs early"),
        ("martlet.dead", "max-length", 10, "deletes the oldest"),
        ("martlet.dead", "max-length-bytes", 10, "deletes the oldest"),
        ("martlet.delay.30", "max-length", 10, "refuses jobs that should wait"),
        ("martlet.dropped", "max-length-bytes", 10, "refuses jobs that should wait"),
        ("martlet.jobs.bulk.returned", "max-length", 10, "refuses jobs that should wait"),
        ("martlet.jobs.urgent.waiting.3", "max-length", 10, "refuses jobs that should wait"),
        ("martlet.jobs.bulk", "delivery-limit", 5, "dead-letters jobs too early"),
        ("martlet.dead", "delivery-limit", 5, "deletes jobs read"),
    ])
    func reportsPolicyThatLosesJobs(queue: String, key: String, value: Int, consequence: String) {
        let found = dangers(queue, [key: value])
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("policy all sets \(key) \(value), which ") == true, "\(found)")
        #expect(found.first?.contains(consequence) == true && found.first?.hasSuffix(": \(queue)") == true, "\(found)")
    }

    @Test(arguments: [
        ("martlet.jobs.bulk", "max-length-bytes", 20_000_000_000), ("martlet.jobs.bulk", "consumer-timeout", 1_800_000),
        ("martlet.delay.30", "message-ttl", 30_000), ("martlet.jobs.bulk", "delivery-limit", 20),
        ("martlet.dead", "delivery-limit", -1), ("another.queue", "expires", 1),
    ])
    func acceptsHarmlessPolicy(queue: String, key: String, value: Int) {
        #expect(dangers(queue, [key: value]) == [])
    }

    @Test func reportsTextSettingsThatLoseJobs() {
        #expect(dangers("martlet.jobs.bulk", [:], ["overflow": "drop-head"]).count == 1)
        #expect(dangers("martlet.jobs.bulk", ["max-length": 5], ["overflow": "drop-head"]).count == 2)
        #expect(dangers("martlet.jobs.bulk", ["max-length": 5], ["overflow": "reject-publish"]) == [])
        #expect(dangers("martlet.delay.30", [:], ["dead-letter-routing-key": "bulk"]).count == 1)
        #expect(dangers("martlet.dead", [:], ["dead-letter-strategy": "at-most-once"]) == [])
    }

    @Test(arguments: [(1_000, 1), (1_001, 0)]) func reportsLimitBelowLimitOfQueue(limit: Int, dangers: Int) {
        let queue = AMQPQueue(
            name: "martlet.ledger", arguments: ["x-overflow": "drop-head", "x-max-length-bytes": .int64(1_001)])
        let found = PolicyCheck(
            AMQPTopology(queues: [queue]), jobs: names.jobs,
            [.init(queue: queue.name, names: ["all"], numbers: ["max-length-bytes": limit], texts: [:])])
        #expect(found.dangers.count == dangers, "\(found.dangers)")
    }

    @Test func listsOnlyFirstOfManyQueues() {
        let topology = names.topology(delays: [30])
        let found = PolicyCheck(
            topology, jobs: names.jobs,
            topology.queues.map {
                .init(queue: $0.name, names: ["all", "limits"], numbers: ["expires": 5], texts: [:])
            }
        ).dangers
        #expect(found.count == 1 && found.first?.hasPrefix("policy all and limits sets expires 5") == true, "\(found)")
        #expect(found.first?.hasSuffix("and \(topology.queues.count - 3) more") == true, "\(found)")
    }
}
