import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import Testing

extension BrokersPageTests {
    private func setPolicy(
        _ queues: String, _ definition: String, _ installation: Installation, _ servers: BrokerServers.Servers,
        command: String = "set_policy"
    ) async throws {
        let prefix = installation.names.prefix.replacing(".", with: "\\.")
        try await servers.run(
            "rabbitmqctl \(command) bounds '^\(prefix)\\.\(queues)$' '\(definition)' --apply-to queues",
            in: installation.folder)
    }

    private func clearPolicy(
        _ installation: Installation, _ servers: BrokerServers.Servers, command: String = "clear_policy"
    ) async throws {
        try await servers.run("rabbitmqctl \(command) bounds", in: installation.folder)
    }

    /// A worker checks its delay queues once a minute. It reports lost jobs only if the deleted queue must still have
    /// contained some. Jobs stay in this queue for fifteen minutes.
    @Test func declaresDeletedDelayQueueAndReportsLostJobs() async throws {
        try await with { installation, servers in
            let delay = installation.names.delay(seconds: 900)
            let delays = RetryPolicy().delays
            func publish(_ ids: [String]) async throws {
                let more = #","send_at":\#(Int(Date().timeIntervalSince1970) + 1_000)"#
                try await installation.publish(
                    ids.map { JobText($0, app: Self.app, to: [Token.random()], more: more) })
            }
            try await installation.withWorker([:]) { worker in
                try await publish(["one", "two", "three"])
                try await eventually("three jobs wait in the delay queue: \(worker.errors)") {
                    try await installation.waitingMessages(delays: delays)[delay] == 3
                }
                try await setPolicy(#"delay\.900"#, #"{"expires":1000}"#, installation, servers)
                try await eventually("the worker reports the loss: \(worker.errors)", within: .seconds(600)) {
                    worker.errors.contains("broker.queues.vanished")
                }
                try await clearPolicy(installation, servers)
                #expect(worker.errors.contains("lost=\(delay)"), "\(worker.errors)")
                try await eventually("the queue is declared again: \(worker.errors)", within: .seconds(600)) {
                    try await AMQPInspection.look(
                        at: AMQPTopology(queues: [AMQPQueue(name: delay)]), on: try installation.brokerConfiguration()
                    ).missing.isEmpty
                }
                // An operator deletes the queue, and the next publication finds it missing.
                try await installation.broker.delete(queues: [delay], exchanges: [])
                try await publish(["four"])
                try await eventually("the new job waits in the delay queue: \(worker.errors)") {
                    try await installation.waitingMessages(delays: delays)[delay] == 1
                }
                #expect(!worker.errors.contains("broker.connection.lost"), "\(worker.errors)")
            }
        }
    }

    @Test func doctorFailsOnPoliciesThatLoseJobs() async throws {
        try await with { installation, servers in
            let names = installation.names
            try await servers.run("rabbitmq-plugins enable rabbitmq_management", in: installation.folder)
            func doctor() async throws -> Subprocess.Finished {
                try await installation.martlet(
                    ["doctor", "--management", "http://127.0.0.1:\(servers.managementPort)"],
                    ["amqp.url": try servers.administratorURL])
            }
            func fails(_ text: String, _ queue: String) async throws {
                try await eventually("doctor fails because of \(text)", within: .seconds(600)) {
                    let reported = try await doctor()
                    return reported.status == 1
                        && reported.output.split(separator: "\n").contains {
                            $0.hasPrefix("FAIL  policies") && $0.contains("policy bounds sets \(text)")
                                && $0.contains(queue)
                        }
                }
            }
            try await setPolicy("dead", #"{"max-length":1}"#, installation, servers)
            try await fails("max-length 1, which deletes the oldest messages", names.dead)
            try await installation.publishDead((1...3).map { (Array("\($0)".utf8), AMQPProperties()) })
            #expect(try await installation.broker.counts([names.dead]) == [names.dead: 1], "one message is kept")

            let ledger = "\(names.prefix).ledger"
            try await setPolicy("ledger", #"{"expires":3600000}"#, installation, servers)
            try await eventually("doctor accepts the policy without a ledger queue", within: .seconds(600)) {
                try await doctor().output.contains("ok    policies")
            }
            let maker = try AMQPPublisher(
                configuration: try installation.brokerConfiguration(),
                topology: AMQPTopology(queues: [AMQPQueue(name: ledger, arguments: ["x-queue-type": "quorum"])]),
                logger: installation.log.logger("ledger"))
            try await maker.connectOnce()
            await maker.close()
            try await fails("expires 3600000, which deletes the queue", ledger)

            try await setPolicy(#"jobs\.bulk"#, #"{"message-ttl":500}"#, installation, servers)
            try await fails("message-ttl 500, which dead-letters jobs that wait longer", names.queue(of: Lane.bulk))
            try await installation.publish([JobText("late", app: Self.app, to: [Token.random()])], lane: .bulk)
            try await eventually("the late job is dropped") {
                try await installation.broker.counts([names.dropped]) == [names.dropped: 1]
            }

            try await clearPolicy(installation, servers)
            try await setPolicy(
                #"delay\..*"#, #"{"expires":3600000}"#, installation, servers, command: "set_operator_policy")
            try await fails("expires 3600000, which deletes the queue", names.delay(seconds: 1))
            try await clearPolicy(installation, servers, command: "clear_operator_policy")

            try await servers.run(try Recipe("Policies").shell(2), in: installation.folder)
            try await eventually("doctor accepts the recipe's policies", within: .seconds(600)) {
                try await doctor().output.contains("ok    policies")
            }
            try await servers.run("rabbitmqctl clear_policy others", in: installation.folder)
        }
    }
}
