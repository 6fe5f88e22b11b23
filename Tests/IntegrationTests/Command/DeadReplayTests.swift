import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import TestTraits
import Testing

@Suite(.needsServers)
struct DeadReplayTests {
    private static let app = "com.example.shop"

    @Test func replaysJobsOnceEvenIfRejectedAgain() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.withWorker { _ in
                let broken = (1...3).map { JobText("odd-\($0)", app: Self.app, to: ["aa"], more: #","priorty":5"#) }
                try await installation.publish(broken)
                try await eventually("three jobs are rejected: \(installation.results.rejections)") {
                    installation.results.rejections.count == 3
                }
                let replayed = try await installation.martlet(["dead", "replay"])
                #expect(replayed.status == 0 && replayed.output == "replayed 3 jobs\n", "\(replayed)")
                try await eventually("the replayed jobs are rejected: \(installation.results.rejections)") {
                    installation.results.rejections.count == 6
                }
                let listed = try await installation.martlet(["dead", "list", "--json"])
                #expect(listed.output.ranges(of: "priorty").count == 3, "\(listed)")
            }
            #expect(installation.results.rejections.count == 6)
        }
    }

    /// The queue has more bytes than a command keeps in memory, and messages that are not jobs.
    @Test func selectsJobAmongLargeAndInvalidMessages() async throws {
        try await Installation.with { installation in
            let large = Array(repeating: UInt8(ascii: "x"), count: 2_000_000)
            let needle = Array(#"{"id":"needle","app":"com.example.shop"}"#.utf8)
            let bodies: [[UInt8]] = Array(repeating: large, count: 20) + [[0xFF, 0x00, 0x1B], [], needle]
            try await installation.publishDead(bodies.map { ($0, AMQPProperties()) })
            let found = try await installation.martlet(["dead", "show", "--id", "needle"])
            #expect(found.output == "\(String(decoding: needle, as: UTF8.self))\n", "\(found.errors)")
            let dropped = try await installation.martlet(["dead", "drop", "--id", "needle"])
            #expect(dropped.output == "dropped 1 job\n", "\(dropped)")
            let all = try await installation.martlet(["dead", "list", "--json"])
            #expect(all.output.ranges(of: "\"bytes\"").count == 22, "\(all.errors)")
            let replayed = try await installation.martlet(["dead", "replay", "--to-lane", "bulk"])
            #expect(replayed.output == "replayed 22 jobs\n", "\(replayed)")
            try await eventually("all 22 messages are in the bulk lane") {
                try await installation.waitingMessages() == [installation.names.queue(of: .bulk): 22]
            }
        }
    }

    @Test func showsLastReasonWhyBrokerDroppedJob() async throws {
        try await Installation.with { installation in
            func died(_ reasons: String...) -> AMQPProperties {
                var properties = AMQPProperties()
                properties.headers["x-first-death-reason"] = "expired"
                properties.headers["x-death"] = .array(reasons.map { .table(["reason": .string($0)]) })
                return properties
            }
            try await installation.publishDead([([4, 4, 4, 4], AMQPProperties())], key: "odd")
            // The first reason of all messages is that they expired in a delay queue. The command shows the last
            // reason.
            try await installation.publishDead([
                ([1], died("delivery_limit", "expired")), ([2, 2], died("expired", "expired")),
                ([3, 3, 3], died("maxlen")),
            ])
            let listed = try await installation.martlet(["dead", "list"])
            #expect(listed.output.contains(/- +- +normal +1 +was delivered too often/), "\(listed)")
            #expect(
                listed.output.contains(/normal +2 +expired in its queue before a worker received it/), "\(listed)")
            #expect(listed.output.contains(/normal +3 +was dropped because its queue was full/), "\(listed)")
            #expect(listed.output.contains(/odd +4 +no lane is called "odd"/), "\(listed)")
        }
    }

    @Test func replaysJobOfUnknownLaneOnlyIntoGivenLane() async throws {
        try await Installation.with { installation in
            func publish(_ key: String) async throws {
                try await installation.publishDead(
                    [(Array(#"{"id":"job of \#(key)"}"#.utf8), AMQPProperties())], key: key)
            }
            for key in ["urgnt", "urgent", "bulk.waiting.3", "nrmal"] { try await publish(key) }
            let listed = try await installation.martlet(["dead", "list", "--json"])
            for lane in ["urgnt", "urgent", "bulk", "nrmal"] {
                #expect(listed.output.contains(#""lane" : "\#(lane)""#), "\(listed)")
            }
            let planned = try await installation.martlet(["dead", "replay", "--dry-run"])
            #expect(planned.status == 1 && planned.output == "would replay 2 jobs\n", "\(planned)")
            let replayed = try await installation.martlet(["dead", "replay"])
            #expect(replayed.status == 1 && replayed.output == "replayed 2 jobs\n", "\(replayed)")
            #expect(replayed.errors.contains(#"2 jobs not replayed: no lane is called "urgnt"; replay with"#))
            let names = installation.names
            try await eventually("the jobs of known lanes are in their lanes") {
                try await installation.waitingMessages() == [
                    names.queue(of: .urgent): 1, names.queue(of: .bulk): 1, names.dead: 2,
                ]
            }
            let cured = try await installation.martlet([
                "dead", "replay", "--reason", "no lane is called", "--to-lane", "urgent",
            ])
            #expect(cured.status == 0 && cured.output == "replayed 2 jobs\n", "\(cured)")
            try await eventually("all jobs are in lanes") {
                try await installation.waitingMessages() == [names.queue(of: .urgent): 3, names.queue(of: .bulk): 1]
            }
        }
    }

    /// With this routing key, a message of a worker reaches a lane, but a message of a publisher does not.
    @Test func replaysJobPublishedWithWorkersRoutingKeyOnlyIntoGivenLane() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.withWorker { worker in
                try await installation.eventuallyConsumes(worker)
                let job = JobText("lost", app: Self.app, to: [Token.random()])
                try await installation.publish(raw: [job.json], key: "urgent.returned")
                try await eventually("the job is rejected: \(worker.errors)") {
                    installation.results.rejections.count == 1
                }
            }
            let faults = installation.results.rejections.flatMap { $0.errors ?? [] }
            #expect(faults.map(\.problem) == [#"no lane is called "urgent.returned""#])
            let listed = try await installation.martlet(["dead", "list", "--json"])
            #expect(listed.output.contains(#""lane" : "urgent.returned""#), "\(listed)")
            let refused = try await installation.martlet(["dead", "replay"])
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.errors.contains(#"1 job not replayed: no lane is called "urgent.returned""#), "\(refused)")
            let replayed = try await installation.martlet(["dead", "replay", "--to-lane", "bulk"])
            #expect(replayed.status == 0 && replayed.output == "replayed 1 job\n", "\(replayed)")
            try await eventually("the job is in the given lane") {
                try await installation.waitingMessages(delays: []) == [installation.names.queue(of: .bulk): 1]
            }
        }
    }

    /// The broker requeues the messages that the command has received and not yet replayed.
    @Test func reportsReplayedJobsWhenConnectionsBreak() async throws {
        try await Installation.with { installation in
            let count = 1_000
            let bodies = (0..<count).map { Array(#"{"id":"\#($0)"}"#.utf8) }
            try await installation.publishDead(bodies.map { ($0, AMQPProperties()) })
            var url = try #require(URLComponents(string: installation.servers.broker))
            let proxy = try TCPProxy(target: UInt16(clamping: url.port ?? 5_672))
            defer { proxy.stop() }
            proxy.setDelay(milliseconds: 5)
            (url.host, url.port) = ("127.0.0.1", Int(proxy.port))
            let configuration = try installation.configuration(["amqp.url": url.string], file: "cut.yaml")
            let command = try Subprocess(
                [Project.command, "dead", "replay", "--config", configuration], in: installation.folder)
            let lane = installation.names.queue(of: .normal)
            try await eventually("ten jobs are replayed: \(command.errors)") {
                try await installation.waitingMessages()[lane] ?? 0 >= 10
            }
            proxy.cut()
            let finished = try await command.finish()
            let said = finished.errors.firstMatch(of: /replayed ([0-9]+) jobs before this error; the last/)
            let replayed = try #require(said.flatMap { Int($0.1) }, "\(finished)")
            #expect(finished.status == 1 && finished.output == "" && replayed < count, "\(finished)")
            // A message in transit when the connections break may be in both queues.
            try await eventually("the other jobs are dead again: \(finished)") {
                let left = try await installation.waitingMessages()[installation.names.dead] ?? 0
                return (count - replayed...count - replayed + 20).contains(left)
            }
        }
    }
}

extension Installation {
    /// Puts messages into the dead-letter queue.
    func publishDead(
        _ messages: [(body: [UInt8], properties: AMQPProperties)], key: String = "normal"
    ) async throws {
        let publisher = try AMQPPublisher(
            configuration: try brokerConfiguration(), topology: names.topology(delays: Self.quickRetry.delays),
            logger: log.logger("publisher"))
        try await publisher.connectOnce()
        try await publisher.publishAndWait(
            messages.enumerated().map { index, message in
                AMQPPublication(
                    id: UInt64(index), exchange: names.dead, routingKey: key, isMandatory: true,
                    properties: message.properties, body: message.body)
            })
        await publisher.close()
    }
}
