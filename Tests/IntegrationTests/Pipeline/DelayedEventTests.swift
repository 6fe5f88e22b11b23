import AMQPClient
import APNSSimulator
import Contract
import DeliveryPipeline
import PostgresClient
import PushModel
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Events that can't be published yet. They are held in the broker, so that their jobs can be settled.
@Suite(.needsServers)
struct DelayedEventTests {
    private static let app = "com.example.shop"

    @Test func settlesJobsWhileResultsQueueIsFull() async throws {
        let app = "com.example.full"
        try await Installation.with { installation in
            try await installation.addTokenApp(app)
            try await installation.withFullQueue { full in
                try await InProcessWorker.run(in: installation) { worker in
                    for number in 0..<30 {
                        try await installation.publish([
                            JobText("job-\(number)", app: app, to: Token.random(count: 3))
                        ])
                    }
                    try await eventually("90 are sent: \(worker.counts)") { worker.counts.outcomes["sent"] == 90 }
                    try await eventually("all jobs are settled: \(worker.counts)") {
                        worker.counts.jobsOpen == 0 && worker.counts.jobsAcknowledged >= 30
                    }
                    #expect(worker.counts.eventsHeld > 0, "\(worker.counts)")
                    try await installation.results.wait(for: 90)
                    let copies = installation.results.copies
                    #expect(copies.deliveries <= copies.events * 4, "\(copies)")
                    // An operator deletes the full queue.
                    try await installation.broker.delete(queues: [full], exchanges: [])
                    try await eventually("no event is held: \(worker.counts)") {
                        let waiting = try await installation.waitingMessages(delays: [1, 5, 30, 120])
                        return waiting.isEmpty && worker.counts.jobsOpen == 0
                    }
                    #expect(worker.counts.messagesRefused[installation.names.results] ?? 0 > 0)
                }
                let copies = installation.results.copies
                #expect(copies.deliveries <= copies.events * 6, "\(copies)")
            }
            #expect(installation.results.tally.values.reduce(0, +) == 90, "each outcome has one event")
        }
    }

    @Test func settlesJobsWhileDeviceTokensAreLocked() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let healthy = Token.random(count: 20)
            let dead = Token.random(Token.dead, count: 2)
            try await InProcessWorker.run(in: installation) { worker in
                let locking = try await PostgresConnection.connect(installation.database.configuration)
                try await locking.query("BEGIN")
                try await locking.query("LOCK TABLE martlet.device_tokens IN ACCESS EXCLUSIVE MODE")
                try await installation.publish([JobText("locked", app: Self.app, to: healthy + dead)])
                try await eventually("the job is settled: \(worker.counts)") {
                    worker.counts.eventsHeld >= 1 && worker.counts.jobsOpen == 0
                }
                #expect(installation.results.count == 20, "a dead token's event waits until the token is marked")
                try await locking.query("COMMIT")
                await locking.close()
                try await installation.results.wait(for: 22)
            }
            #expect(installation.results.tally == ["sent": 20, "unregistered Unregistered": 2])
            #expect(try await installation.markedTokens(of: Self.app) == Set(dead))
            let arrivals = installation.simulator.recordedArrivals
            #expect((healthy + dead).allSatisfy { arrivals[$0] == 1 }, "each token gets one push: \(arrivals)")
        }
    }
}
