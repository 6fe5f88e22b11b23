import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import TestSupport
import TestTraits
import Testing

/// Commands use what is in the broker and declare nothing, except for `doctor --declare`.
@Suite(.needsServers)
struct TopologyCheckTests {
    @Test func namesMissingTopologyAndDeclaresNothing() async throws {
        try await Installation.with { installation in
            let names = installation.otherNames
            let topology = names.topology(delays: RetryPolicy().delays)
            let job = JobText("one", app: "com.example.shop", to: [Token.random()]).json
            let commands = [
                (["job", "publish"], "exchange \(names.jobs)"), (["results", "tail"], "exchange \(names.results)"),
                (["dead", "list"], "queue \(names.dead)"), (["dead", "show"], "queue \(names.dead)"),
                (["dead", "replay"], "exchange \(names.jobs)"), (["dead", "drop", "--all"], "queue \(names.dead)"),
            ]
            for (command, missing) in commands {
                let finished = try await installation.martlet(command, ["amqp.prefix": names.prefix], input: job)
                #expect(finished.status == 1, "\(command): \(finished)")
                #expect(
                    finished.errors
                        == "Error: the broker has no \(missing): a worker declares it when it starts, and so does 'martlet doctor --declare'\n",
                    "\(command)")
            }
            let fixed = try await installation.martlet(
                ["dead", "list"], ["amqp.prefix": names.prefix, "amqp.declare": "false"])
            #expect(
                fixed.errors
                    == "Error: the broker has no queue \(names.dead): with amqp.declare: false an administrator creates it; 'martlet topology' prints it\n"
            )
            let looked = try await installation.martlet(["doctor"], ["amqp.prefix": names.prefix])
            #expect(looked.status == 0 && looked.output.contains("WARN  queues"), "\(looked)")
            #expect(looked.output.contains("martlet doctor --declare"), "\(looked)")
            let broker = try installation.brokerConfiguration()
            let untouched = try await AMQPInspection.look(at: topology, on: broker)
            #expect(untouched.missing.count == topology.exchanges.count + topology.queues.count)

            let declared = try await installation.martlet(["doctor", "--declare"], ["amqp.prefix": names.prefix])
            #expect(declared.status == 0 && declared.output.contains("ok    queues"), "\(declared)")
            #expect(try await AMQPInspection.look(at: topology, on: broker, comparesProperties: true).missing == [])
            // Doctor expects the delay queues of the configuration.
            let changed = try await installation.martlet(
                ["doctor"], ["amqp.prefix": names.prefix, "retry.delays": "7"])
            #expect(changed.output.contains("WARN  queues"), "\(changed)")
            #expect(changed.output.contains("queue \(names.delay(seconds: 7))"), "\(changed)")
            try await installation.delete(names)
        }
    }

    @Test func doctorNamesQueueWithDifferentProperties() async throws {
        try await Installation.with { installation in
            let names = installation.otherNames
            let publisher = try AMQPPublisher(
                configuration: try installation.brokerConfiguration(),
                topology: AMQPTopology(queues: [AMQPQueue(name: names.dead, arguments: ["x-queue-type": "quorum"])]),
                logger: installation.log.logger("publisher"))
            try await publisher.connectOnce()
            await publisher.close()
            let finished = try await installation.martlet(["doctor"], ["amqp.prefix": names.prefix])
            #expect(finished.status == 1 && finished.output.contains("FAIL  queues"), "\(finished)")
            #expect(
                finished.output.contains(names.dead) && finished.output.contains("x-delivery-limit"), "\(finished)")
            try await installation.delete(names)
        }
    }

    @Test func doctorNamesVersionOfBroker() async throws {
        try await Installation.with { installation in
            let finished = try await installation.martlet(["doctor"])
            #expect(finished.output.contains(/ok    broker +connected to RabbitMQ [34]\./), "\(finished)")
            // Workers request a timeout of their own if the broker is RabbitMQ 4.3 or later.
            #expect(finished.output.contains(/(note|ok  )  ack timeout/), "\(finished)")
        }
    }
}

extension Installation {
    /// Names under which nothing is declared in the broker.
    var otherNames: PipelineNames { PipelineNames(prefix: "\(names.prefix)-other") }

    /// Deletes the topology that has these names.
    func delete(_ names: PipelineNames) async throws {
        let topology = names.topology(delays: RetryPolicy().delays)
        try await broker.delete(queues: topology.queues.map(\.name), exchanges: topology.exchanges.map(\.name))
    }
}
