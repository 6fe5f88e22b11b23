import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import TestSupport
import Testing

extension BrokersPageTests {
    /// Checks that the broker user of an operator can run the commands that operators need, and has no other
    /// permissions. First puts one message into the dead-letter queue and one into a waiting queue.
    func checkOperatorRights(_ installation: Installation, _ url: String, _ shop: String) async throws {
        func anna(_ arguments: [String]) async throws -> Subprocess.Finished {
            try await installation.martlet(arguments, ["amqp.url": url])
        }
        try await installation.publishDead([(Array(#"{"id":"dead-1"}"#.utf8), AMQPProperties())])
        let worker = try AMQPPublisher(
            configuration: try installation.brokerConfiguration(), logger: installation.log.logger("waiting"))
        try await worker.connectOnce()
        try await worker.publishAndWait([
            AMQPPublication(id: 1, exchange: installation.names.moved, routingKey: "normal.waiting.3", body: [])
        ])
        await worker.close()
        let doctor = try await anna(["doctor", "--operator"])
        #expect(doctor.status == 0 && !doctor.output.contains("FAIL"), "\(doctor)")
        #expect(doctor.output.contains("may publish jobs as anna"), "\(doctor)")
        let unasked = try await anna(["doctor"])
        #expect(unasked.status == 1, "\(unasked)")
        #expect(unasked.output.split(separator: "\n").allSatisfy { $0.utf8.count < 2_000 }, "\(unasked)")
        #expect(unasked.output.contains("for the user of an operator, add --operator"), "\(unasked)")
        func waits(_ figures: String) async throws {
            try await eventually(figures) {
                try await anna(["top", "--once"]).output.contains("\nwaiting in the broker: \(figures)\n")
            }
        }
        try await waits("urgent 0, normal 2, bulk 0, suspects 1, delayed 0, dead 1")
        let blind = try await installation.martlet(["top"], ["amqp.url": "amqp://127.0.0.1:1/"])
        #expect(blind.status == 0 && blind.output.contains("\nwaiting in the broker: unknown: "), "\(blind)")
        let why = try await anna(["why", "--job", "dead-1"])
        #expect(why.status == 0 && why.output.contains(/dead-letter queue +/), "\(why)")
        // The broker requeues messages that a command only reads, shortly after the command has ended.
        try await eventually("the job is listed") { try await anna(["dead", "list"]).output.contains("dead-1") }
        try await eventually("the job is replayed") {
            try await anna(["dead", "replay", "--id", "dead-1"]).output == "replayed 1 job\n"
        }
        try await waits("urgent 0, normal 3, bulk 0, suspects 1, delayed 0, dead 0")
        let configuration = try installation.configuration(["amqp.url": url], file: "anna.yaml")
        let tail = try Subprocess([Project.command, "results", "tail", "--config", configuration])
        try await eventually(tail.errors) { tail.errors == "listening for #\n" }
        tail.signal(SIGKILL)
        _ = try await tail.finish()
        let results = installation.names.results
        #expect(await publishes(to: results, url, installation) == 403)
        // The command reports the missing permission in one line.
        let refused = try await installation.martlet(["results", "tail"], ["amqp.url": shop])
        #expect(refused.status == 1 && refused.errors.hasPrefix("Error: "), "\(refused)")
        #expect(
            refused.errors.lowercased().contains("access") && refused.errors.count { $0 == "\n" } == 1, "\(refused)")
    }
}
