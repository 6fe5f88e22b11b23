import AMQPClient
import Contract
import DeliveryPipeline
import Testing

/// Tests of the exchanges and queues that docs/brokers.md lists.
@Suite struct PipelineNamesTests {
    private let topology = PipelineNames().topology(delays: RetryPolicy().delays)

    @Test(arguments: ["urgent", "normal", "bulk", "urgent.returned", "normal.waiting.0", "bulk.waiting.7"])
    func declaresLanesAsQuorumQueuesWithSafeDeadLettering(lane: String) throws {
        let queue = try #require(topology.queues.first { $0.name == "martlet.jobs.\(lane)" })
        #expect(queue.isDurable && !queue.isExclusive && !queue.isAutoDelete)
        #expect(
            arguments(queue) == [
                "x-queue-type": "quorum", "x-dead-letter-exchange": "martlet.dropped",
                "x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish", "x-delivery-limit": 20,
            ])
    }

    @Test(arguments: [1, 5, 30, 120, 900, 3600, 21_600])
    func returnsDelayedJobsToWorkersExchange(seconds: Int) throws {
        let name = "martlet.delay.\(seconds)"
        let queue = try #require(topology.queues.first { $0.name == name })
        #expect(
            arguments(queue) == [
                "x-queue-type": "quorum", "x-message-ttl": .int64(Int64(seconds) * 1000),
                "x-dead-letter-exchange": "martlet.moved", "x-dead-letter-strategy": "at-least-once",
                "x-overflow": "reject-publish",
            ])
        #expect(topology.exchanges.first { $0.name == name }?.kind == .fanout, "fanout keeps the routing key")
    }

    /// Returns the queues of a lane that only workers and delay queues publish to, sorted by name.
    private static func others(of lane: String) -> [String] {
        (["returned"] + (0..<JobQueue.waitingQueues).map { "waiting.\($0)" }).map { "martlet.jobs.\(lane).\($0)" }
            .sorted()
    }

    private static func moves(to lane: String) -> [String] {
        others(of: lane).map { "martlet.moved -\($0.dropFirst("martlet.jobs.".count))-> \($0)" }
    }

    private static let delays = ["1", "120", "21600", "30", "3600", "5", "900"]

    @Test func limitsDeliveriesOfSuspects() throws {
        let queue = try #require(topology.queues.first { $0.name == "martlet.jobs.suspects" })
        #expect(arguments(queue)["x-delivery-limit"] == 3)
    }

    /// RabbitMQ 4 drops a message after 20 redeliveries by default.
    @Test func allowsUnlimitedReadsOfDeadJobs() throws {
        let dead = try #require(topology.queues.first { $0.name == "martlet.dead" })
        #expect(arguments(dead) == ["x-queue-type": "quorum", "x-delivery-limit": 1_000_000])
        let dropped = try #require(topology.queues.first { $0.name == "martlet.dropped" })
        #expect(
            arguments(dropped) == [
                "x-queue-type": "quorum", "x-delivery-limit": 1_000_000, "x-dead-letter-exchange": "martlet.dead",
                "x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish",
            ])
    }

    @Test func declaresNoOtherExchangesOrQueues() {
        #expect(
            topology.exchanges.map { "\($0.name) \($0.kind)" }.sorted() == ["martlet.dead topic"]
                + Self.delays.map { "martlet.delay.\($0) fanout" } + [
                    "martlet.dropped topic", "martlet.jobs direct", "martlet.moved direct", "martlet.results topic",
                ])
        #expect(topology.exchanges.allSatisfy { $0.isDurable && !$0.isAutoDelete })
        #expect(
            topology.exchanges.first { $0.name == "martlet.jobs" }?.arguments["alternate-exchange"]
                == "martlet.dropped")
        #expect(
            topology.queues.map(\.name).sorted() == ["martlet.dead"] + Self.delays.map { "martlet.delay.\($0)" } + [
                "martlet.dropped", "martlet.jobs.bulk",
            ] + Self.others(of: "bulk") + ["martlet.jobs.normal"] + Self.others(of: "normal")
                + ["martlet.jobs.suspects", "martlet.jobs.urgent"] + Self.others(of: "urgent"))
    }

    @Test func bindsRoutingKeysToLanes() {
        let bindings = topology.bindings.map { "\($0.exchange) -\($0.routingKey)-> \($0.queue)" }.sorted()
        #expect(
            bindings == ["martlet.dead -#-> martlet.dead"]
                + Self.delays.map { "martlet.delay.\($0) --> martlet.delay.\($0)" } + [
                    "martlet.dropped -#-> martlet.dropped",
                    "martlet.jobs --> martlet.jobs.normal", "martlet.jobs -bulk-> martlet.jobs.bulk",
                    "martlet.jobs -normal-> martlet.jobs.normal", "martlet.jobs -urgent-> martlet.jobs.urgent",
                ] + Self.moves(to: "bulk") + Self.moves(to: "normal")
                + ["martlet.moved -suspects-> martlet.jobs.suspects"] + Self.moves(to: "urgent"))
    }

    @Test func prefixesEveryName() {
        let other = PipelineNames(prefix: "x").topology(delays: [7])
        let names = other.exchanges.map(\.name) + other.queues.map(\.name) + other.bindings.map(\.queue)
        #expect(names.filter { !$0.hasPrefix("x.") } == [])
        #expect(names.contains("x.delay.7"))
        let arguments = (other.exchanges.map(\.arguments) + other.queues.map(\.arguments)).flatMap(\.entries)
        #expect(arguments.filter { $0.value.string?.hasPrefix("martlet") == true } == [])
    }

    @Test func identifiesQueueByTag() {
        #expect(JobQueue.all.map { JobQueue(tagIndex: $0.tagIndex) } == JobQueue.all)
        #expect(JobQueue(tagIndex: UInt16(JobQueue.all.count)) == nil)
        let names = PipelineNames()
        #expect(JobQueue.all.allSatisfy { names.tagIndex(ofQueue: names.queue(of: $0)) == $0.tagIndex })
        #expect(names.tagIndex(ofQueue: "martlet.dead") == nil)
    }

    private func arguments(_ queue: AMQPQueue) -> [String: AMQPFieldValue] {
        Dictionary(uniqueKeysWithValues: queue.arguments.entries.map { ($0.key, $0.value) })
    }
}
