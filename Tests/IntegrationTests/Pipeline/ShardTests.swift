import AMQPClient
import DeliveryPipeline
import PushModel
import Foundation
import TestSupport
import TestTraits
import Testing
import Foundations

/// Changes of the number of shards while publishers continue.
@Suite(.needsServers)
struct ShardTests {
    private static let app = "com.example.shop"

    @Test func sendsEachJobOnceWhileNumberOfShardsChanges() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let published = Published()
            try await InProcessWorker.run(in: installation, name: "one") { one in
                try await eventually("worker one can publish") { one.counts.isPublishing }
                let load = Task { try await published.publish(in: installation) }
                try await published.wait(for: 500)
                try await InProcessWorker.run(in: installation, name: "three", shards: 3) { three in
                    try await eventually("three shards: \(three.counts)") {
                        three.counts.shards == 3 && three.counts.isConsuming
                    }
                    try await published.wait(for: 1_000)
                    #expect(one.counts.shards == 1, "worker one has not looked for shards yet")
                    one.lookForShards()
                    try await eventually("worker one finds three shards: \(one.counts)") { one.counts.shards == 3 }
                    try await published.wait(for: 1_000)
                    try await eventually("worker three sends, too: \(three.counts)") {
                        installation.results.entries.values.contains { $0[0].worker == "three" }
                    }
                }
                // All three shards still exist and receive jobs, and the workers that are left consume them.
                try await published.wait(for: 1_000)
                try await InProcessWorker.run(in: installation, name: "back to one") { last in
                    try await eventually("the last worker finds all shards: \(last.counts)") {
                        last.counts.shards == 3 && last.counts.isConsuming
                    }
                    try await published.wait(for: 1_000)
                    load.cancel()
                    try await load.value
                    try await installation.results.wait(for: published.count)
                    try await eventually("all jobs are settled: \(one.counts)") {
                        one.counts.jobsOpen == 0 && last.counts.jobsOpen == 0
                    }
                }
            }
            let entries = installation.results.entries
            #expect(entries.count == published.count)
            // A busy broker may redeliver jobs of a stopped worker before it has processed their acknowledgements. The
            // second outcome of such a job is `redelivered`. A job that was published twice would have two outcomes
            // that are not.
            let odd = entries.filter { $0.value.count { $0.outcome.redelivered != true } > 1 }
            #expect(odd.isEmpty, "\(odd.count): \(odd.prefix(5).map { "\($0.key.job): \($0.value)" })")
            #expect(Set(entries.values.map { $0[0].worker ?? "?" }) == ["one", "three", "back to one"])
            #expect(Array(installation.results.tally.keys) == ["sent"])
            #expect(try await installation.waitingMessages().isEmpty)
            let shards = [2, 3].map { installation.names.queue(of: .normal, shard: $0) }
            #expect(try await installation.broker.counts(shards) == [shards[0]: 0, shards[1]: 0])
        }
    }

    /// The workers in the fleet find each other's shards through the table of workers.
    @Test func consumesShardsDeclaredByAnotherWorker() async throws {
        try await Installation.with { installation in
            try await installation.withWorker(["worker.name": "one"]) { one in
                try await eventually(one.errors) { one.errors.contains("Worker started") }
                let name = installation.names.queue(of: .bulk, shard: 2)
                try await installation.withWorker(["worker.name": "two", "amqp.shards": "2"]) { two in
                    try await eventually("both consume the shard: \(one.errors)\(two.errors)", within: .seconds(90)) {
                        // Each inspection opens a connection.
                        try await Task.sleep(for: .milliseconds(200))
                        let found = try await AMQPInspection.look(
                            at: AMQPTopology(queues: [AMQPQueue(name: name)]),
                            on: try installation.brokerConfiguration())
                        return found.queues[name]?.consumers == 2
                    }
                }
                let doctor = try await installation.martlet(["doctor"])
                #expect(
                    doctor.output.contains("queues beyond amqp.shards")
                        && doctor.output.contains("\(name) (0 waiting)"),
                    "\(doctor)")
                #expect(
                    try await !installation.martlet(["doctor"], ["amqp.shards": "2"]).output.contains("queues beyond"))
            }
        }
    }

    /// The broker cancels the consumers of deleted queues. The worker then connects again.
    @Test func consumesDeletedShardAgainAfterRedeclaration() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            func makeTwo() async throws {
                try await InProcessWorker.run(in: installation, name: "two", shards: 2) { two in
                    try await eventually("two shards") { two.counts.shards == 2 }
                }
            }
            try await makeTwo()
            try await InProcessWorker.run(in: installation, name: "one") { one in
                try await eventually("the worker consumes both shards: \(one.counts)") {
                    one.counts.shards == 2 && one.counts.isConsuming
                }
                let second = Lane.allCases.map { installation.names.queue(of: $0, shard: 2) }
                try await installation.broker.delete(queues: second, exchanges: [])
                try await eventually("the worker misses shards: \(one.counts)") { one.counts.lacksShards }
                try await eventually("the worker continues with one shard: \(one.counts)") {
                    // The other connections may report missing queues only after this look.
                    one.lookForShards()
                    return one.counts.shards == 1 && !one.counts.lacksShards && one.counts.isConsuming
                }
                try await makeTwo()
                one.lookForShards()
                try await eventually("the worker finds both shards again: \(one.counts)") { one.counts.shards == 2 }
                try await Published().publish(100, in: installation)
                try await installation.results.wait(for: 100)
                #expect(try await installation.broker.counts([second[1]]) == [second[1]: 0])
            }
        }
    }

    /// The worker divides the prefetch of the lane among the shards.
    @Test func consumesAllShardsWhenConfiguredForOne() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await InProcessWorker.run(in: installation, shards: 2) { worker in
                try await eventually("two shards") { worker.counts.shards == 2 }
            }
            let published = Published()
            try await published.publish(200, in: installation)
            let queues = [1, 2].map { installation.names.queue(of: .normal, shard: $0) }
            let counts = try await installation.broker.counts(queues)
            #expect(counts.values.reduce(0, +) == 200 && counts.values.allSatisfy { $0 > 50 }, "\(counts)")
            try await InProcessWorker.run(in: installation, prefetch: [.normal: 10]) { _ in
                try await installation.results.wait(for: 200)
            }
            #expect(installation.results.entries.values.allSatisfy { $0.count == 1 })
        }
    }
}

extension PrivateServerTests {
    struct ShardPluginTests {
        @Test func namesMissingPluginOfBroker() async throws {
            try await Installation.with(servers: PrivateServers.current) { installation in
                // A broker without the plugin does not know this type of exchange.
                try await PrivateServers.evaluateInBroker("rabbit_registry:unregister(exchange, <<\"x-random\">>).")
                let worker = try installation.startWorker(["amqp.shards": "2"])
                try await eventually(worker.errors) {
                    worker.errors.contains("rabbitmq-plugins enable rabbitmq_random_exchange")
                }
                worker.signal(SIGTERM)
                _ = try await worker.finish()
                #expect(worker.errors.components(separatedBy: "broker.connected").count == 1, "no jobs are consumed")
                try await PrivateServers.evaluateInBroker(
                    "rabbit_registry:register(exchange, <<\"x-random\">>, rabbit_exchange_type_random).")
            }
        }
    }
}

/// A publisher of jobs with one recipient each. Its connection declares no queues.
private final class Published: Sendable {
    private let tokens = Mutex<[String]>([])

    var count: Int { tokens.withLock { $0.count } }

    /// Publishes as fast as the broker confirms, until the task is cancelled.
    func publish(in installation: Installation) async throws {
        try await withPublisher(installation) { publisher in
            while !Task.isCancelled { try await publish(50, installation, publisher) }
        }
    }

    func publish(_ count: Int, in installation: Installation) async throws {
        try await withPublisher(installation) { try await publish(count, installation, $0) }
    }

    /// Waits until this number of further jobs are published.
    func wait(for more: Int) async throws {
        let goal = count + more
        try await eventually("\(goal) jobs are published") { count >= goal }
    }

    private func withPublisher(
        _ installation: Installation, _ body: (AMQPPublisher) async throws -> Void
    ) async throws {
        let publisher = try AMQPPublisher(
            configuration: try installation.brokerConfiguration(), logger: installation.log.logger("load"))
        try await publisher.connectOnce()
        try await body(publisher)
        await publisher.close()
    }

    private func publish(_ count: Int, _ installation: Installation, _ publisher: AMQPPublisher) async throws {
        let new = Token.random(count: count)
        try await publisher.publishAndWait(
            new.enumerated().map { index, token in
                AMQPPublication(
                    id: UInt64(index), exchange: installation.names.jobs,
                    // Both routing keys lead to the same lane.
                    routingKey: index % 2 == 0 ? Lane.normal.rawValue : "", isMandatory: true,
                    properties: AMQPProperties(contentType: "application/json"),
                    body: Array(JobText(token, app: "com.example.shop", to: [token]).json.utf8))
            })
        tokens.withLock { $0 += new }
    }
}
