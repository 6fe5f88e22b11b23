import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import Logging
import PushModel
import TestSupport
import TestTraits
import Testing
import Foundations

/// Suspects, which are jobs that the broker has delivered several times and that no worker has settled.
@Suite(.needsServers)
struct SuspectTests {
    private static let app = "com.example.shop"

    /// Receives one message from a queue and then closes the connection, like a worker that crashes on a job.
    private func die(of queue: String, in installation: Installation) async throws {
        let hasOne = Mutex(false)
        let consumer = try AMQPConsumer(
            configuration: try installation.brokerConfiguration(),
            topology: installation.names.topology(delays: []), queues: [AMQPConsumedQueue(name: queue, prefetch: 1)],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await consumer.connectOnce { event in
            if case .deliveries = event { hasOne.withLock { $0 = true } }
        }
        try await eventually("a message arrives from \(queue)") { hasOne.withLock { $0 } }
        await consumer.close()
    }

    @Test func sendsHarmlessSuspect() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.publish([JobText("unlucky", app: Self.app, to: [Token.random()])], lane: .urgent)
            for _ in 0..<5 { try await die(of: installation.names.queue(of: .urgent), in: installation) }
            try await InProcessWorker.run(in: installation) { worker in
                try await installation.results.wait(for: 1)
                #expect(worker.counts.jobsSuspected == 1)
            }
            #expect(installation.results.tally == ["sent": 1])
            #expect(installation.results.entries.values.first?.first?.outcome.redelivered == true)
            #expect(try await installation.waitingMessages().isEmpty)
        }
    }

    @Test func deadLettersSuspectThatKeepsCrashingWorkers() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.publishSuspect(JobText("poison", app: Self.app, to: [Token.random()]))
            for _ in 0..<4 { try await die(of: installation.names.jobs + ".suspects", in: installation) }
            try await InProcessWorker.run(in: installation) { _ in
                try await eventually("rejected: \(installation.log.text)") { !installation.results.rejections.isEmpty }
            }
            let rejection = try #require(installation.results.rejections.first)
            #expect(rejection.job == "poison" && rejection.app == Self.app)
            #expect(rejection.errors?.first?.problem.contains("delivered too often") == true, "\(rejection)")
            let listed = try await installation.martlet(["dead", "list", "--id", "poison", "--json"])
            #expect(listed.output.contains("delivered too often") && listed.output.contains("bulk"), "\(listed)")
        }
    }
}

extension Installation {
    fileprivate func publishSuspect(_ job: JobText) async throws {
        let publisher = try AMQPPublisher(
            configuration: try brokerConfiguration(), topology: names.topology(delays: []),
            logger: log.logger("publisher"))
        try await publisher.connectOnce()
        try await publisher.publishAndWait([
            AMQPPublication(
                id: 1, exchange: names.prefix + ".moved", routingKey: "suspects", isMandatory: true,
                properties: AMQPProperties(contentType: "application/json", headers: [JobHeader.lane: "bulk"]),
                body: Array(job.json.utf8))
        ])
        await publisher.close()
    }
}
