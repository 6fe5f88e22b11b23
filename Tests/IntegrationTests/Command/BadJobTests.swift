import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import Routing

/// Invalid jobs. Each one is reported and dead-lettered, and does not affect other jobs.
@Suite(.needsServers)
struct BadJobTests {
    private static let app = "com.example.shop"

    @Test func rejectsAndDeadLettersInvalidJobs() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.setApp(
                App(bundleID: "com.example.keyless", accounts: ["apns": AppAccount("TEAM000009")]))
            let token = Token.random()
            var huge = JobText("huge", app: Self.app, to: [Token.random()])
            huge.payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 5_000_000))"}}"#
            let bad: [(body: String, fault: String)] = [
                (huge.json, "payload"),
                (#"{"id":"broken","app":"# + "\"\(Self.app)\"", "$"),
                (#"{"id":"typo","app":"com.example.shop","payload":{},"recipients":["aa"],"priorty":5}"#, "priorty"),
                (#"{"id":"nobody","app":"com.example.shop","payload":{},"recipients":[]}"#, "recipients"),
                (#"{"id":"unsent","app":"com.example.shop","recipients":["aa"]}"#, "payload"),
                (JobText("stranger", app: "com.example.unknown", to: [token]).json, "app"),
            ]
            var large = JobText("large", app: Self.app, to: [Token.random()])
            large.payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 60_000))"}}"#
            let settled = [
                JobText("odd", app: Self.app, to: ["abc"]), large,
                JobText("keyless", app: "com.example.keyless", to: [token]),
                JobText("good", app: Self.app, to: [token]),
            ]
            try await installation.withWorker { _ in
                try await installation.publish(raw: bad.map(\.body) + settled.map(\.json))
                try await installation.results.wait(for: 4)
                try await eventually("all invalid jobs are rejected: \(installation.results.rejections)") {
                    installation.results.rejections.count == bad.count
                }
            }
            #expect(
                installation.results.tally == [
                    "rejected BadDeviceToken by martlet": 1, "rejected PayloadTooLarge by martlet": 1,
                    "failed NoCredential": 1, "sent": 1,
                ])
            let faults = installation.results.rejections.flatMap { $0.errors ?? [] }
            for (body, field) in bad where field != "$" {
                #expect(faults.contains { $0.field == field }, "\(body): \(faults)")
            }
            // The dead-letter queue has every body as it was published, with a reason.
            let dead = try await installation.broker.messages(in: installation.names.dead)
            #expect(Set(dead.map(\.body)) == Set(bad.map(\.body)))
            #expect(dead.allSatisfy { !$0.reason.isEmpty })
            #expect(
                try await installation.waitingMessages(delays: RetryPolicy().delays) == [
                    installation.names.dead: bad.count
                ])

            let listed = try await installation.martlet(["dead", "list", "--json"])
            #expect(listed.status == 0, "\(listed)")
            let jobs = try JSONDecoder().decode([DeadJob].self, from: Data(listed.output.utf8))
            #expect(jobs.count == bad.count)
            #expect(jobs.contains { $0.reason.contains("priorty") && $0.lane == "normal" }, "\(listed.output)")
            // The broker requeues messages that a command only reads, shortly after the command has ended.
            try await eventually("the broker has requeued the dead jobs") {
                try await installation.waitingMessages(delays: RetryPolicy().delays) == [
                    installation.names.dead: bad.count
                ]
            }
        }
    }

    /// Any publisher can send unreadable headers, so they must not end the worker's connection.
    @Test func rejectsOnlyMessageWithUnreadableHeaders() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let nested = (1..<1_000).reduce(AMQPFieldValue.array([])) { inside, _ in .array([inside]) }
            let jobs = (0..<6).map { JobText("job-\($0)", app: Self.app, to: [Token.random()]) }
            let publisher = try AMQPPublisher(
                configuration: try installation.brokerConfiguration(),
                topology: installation.names.topology(delays: []), logger: installation.log.logger("publisher"))
            try await publisher.connectOnce()
            // All jobs are published before a worker runs, so that one connection receives them together.
            try await publisher.publishAndWait(
                jobs.enumerated().map { index, job in
                    AMQPPublication(
                        id: UInt64(index), exchange: installation.names.jobs, routingKey: "normal", isMandatory: true,
                        properties: AMQPProperties(headers: index == 1 ? ["mine": nested] : [:]),
                        body: Array(job.json.utf8))
                })
            await publisher.close()
            try await installation.withWorker { worker in
                try await installation.results.wait(for: 5)
                try await eventually("a rejected job\n\(worker.errors)") { installation.results.rejections.count == 1 }
                #expect(!worker.errors.contains("Lost the connection"), "\(worker.errors)")
            }
            #expect(installation.results.tally == ["sent": 5])
            #expect(installation.results.entries.values.joined().allSatisfy { $0.outcome.redelivered == nil })
            let listed = try await installation.martlet(["dead", "list"])
            #expect(listed.output.contains("nested deeper than 32 levels"), "\(listed)")
            let replayed = try await installation.martlet(["dead", "replay"])
            #expect(replayed.output == "replayed 1 job\n", "\(replayed)")
            try await installation.withWorker { _ in try await installation.results.wait(for: 6) }
            #expect(installation.results.tally == ["sent": 6], "the replayed job has no unreadable header")
        }
    }

    private struct DeadJob: Decodable {
        let lane: String
        let bytes: Int
        let reason: String
    }

    @Test func commandRejectsInvalidJobBeforePublishing() async throws {
        try await Installation.with { installation in
            let bad = [
                ("{", "body: "), (#"{"app":"a","payload":{},"recipients":["aa"],"priorty":5}"#, "priorty: "),
                (#"{"app":"a","payload":{},"recipients":[]}"#, "recipients: "),
                (#"{"app":"a","payload":{},"recipients":[{"ref":"x"}]}"#, "recipients[0].token: "), ("", "body: "),
            ]
            for (body, fault) in bad {
                let finished = try await installation.martlet(["job", "publish"], input: body)
                #expect(finished.status == 1, "\(body): \(finished)")
                #expect(finished.errors.contains(fault), "\(body): \(finished)")
            }
            let missing = try await installation.martlet(["job", "publish", "/nowhere/job.json"])
            #expect(missing.status != 0)
            #expect(missing.errors.contains("/nowhere/job.json"), "\(missing)")
        }
    }

    @Test func holdsOnlyJobsThatNeedMissingMasterKey() async throws {
        try await Installation.with { installation in
            let other = try MasterKeyring(text: "master-2 \(String(repeating: "B", count: 43))=", source: "test")
            try await installation.addTokenApp(Self.app)
            try await installation.addTokenApp("com.example.news", team: "TEAM000002", sealedWith: other)
            let keyring = try installation.write("master-2 \(String(repeating: "B", count: 43))=\n", to: "keyring-2")
            try await installation.withWorker(["keyring.file": keyring]) { worker in
                try await installation.publish([
                    JobText("waits", app: Self.app, to: Token.random(count: 3)),
                    JobText("goes", app: "com.example.news", to: Token.random(count: 3)),
                ])
                try await installation.results.wait(for: 3)
                let delay = installation.names.delay(seconds: 30)
                try await eventually("a job in \(delay)\n\(worker.errors)") {
                    try await installation.broker.counts([delay]) == [delay: 1]
                }
                #expect(worker.errors.contains("master-1"), "\(worker.errors)")
                #expect(!worker.errors.contains("master-2"), "\(worker.errors)")
            }
            #expect(installation.results.tally == ["sent": 3])
            let doctor = try await installation.martlet(["doctor"], ["keyring.file": keyring])
            #expect(doctor.status == 1)
            #expect(doctor.output.contains("master-1"), "\(doctor)")
        }
    }
}
