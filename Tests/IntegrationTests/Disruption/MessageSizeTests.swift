import APNSSimulator
import Contract
import DeliveryPipeline
import PushModel
import TestSupport
import Testing

extension PrivateServerTests {
    /// A broker whose limit for the size of messages is lowered after a job was published.
    struct MessageSizeTests {
        private static let app = "com.example.shop"

        @Test func deadLettersTooLargeJobOnce() async throws {
            try await Installation.with(servers: PrivateServers.current) { installation in
                try await installation.addTokenApp(Self.app)
                var large = JobText("large", app: Self.app, to: [])
                large.payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 30_000))"}}"#
                large.recipients = [.init(token: Token.random("bad00503"), payload: #"{"aps":{"alert":"short"}}"#)]
                try await installation.publish([large])
                try await limit(bytes: 20_000)
                try await InProcessWorker.run(in: installation) { worker in
                    try await eventually("one job is rejected: \(worker.counts)") { worker.counts.jobsRejected == 1 }
                    try await installation.publish([JobText("small", app: Self.app, to: [Token.random()])])
                    try await installation.results.wait(for: 1)
                    try await eventually("all jobs are settled: \(worker.counts)") { worker.counts.jobsOpen == 0 }
                    #expect(worker.counts.messagesRefused.isEmpty, "the message is not published again")
                }
                try await limit(bytes: 134_217_728)
                let rejections = installation.results.rejections
                #expect(rejections.count == 1)
                let problem = try #require(rejections.first?.errors?.first?.problem)
                #expect(problem.contains("406") && problem.contains("size"), "\(problem)")
                let queue = installation.names.dead
                try await eventually("the job is dead-lettered") {
                    try await installation.broker.counts([queue])[queue] == 1
                }
                let dead = try await installation.broker.messages(in: queue)
                #expect(dead.map(\.body) == [large.json])
            }
        }

        /// The chunks that the broker accepted are sent, and the rest of the job is rejected once.
        @Test func stopsSplittingJobAtTooLargeChunk() async throws {
            try await Installation.with(servers: PrivateServers.current) { installation in
                try await installation.addTokenApp(Self.app)
                let more = #","at_most_once":true"#
                var job = JobText("split", app: Self.app, to: Token.random(count: 1_500), more: more)
                for large in 600..<610 {
                    job.recipients[large].payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 30_000))"}}"#
                }
                try await installation.publish([job])
                try await limit(bytes: 200_000)
                try await InProcessWorker.run(in: installation) { worker in
                    try await installation.results.wait(for: 1_000)
                    let queue = installation.names.dead
                    try await eventually("the rest is dead-lettered: \(worker.counts)") {
                        try await installation.broker.counts([queue])[queue] == 1
                    }
                    #expect(installation.results.tally == ["sent": 1_000])
                    let problem = installation.results.rejections.first?.errors?.first?.problem ?? "none"
                    #expect(problem.contains("406"), "\(problem)")

                    try await limit(bytes: 134_217_728)
                    try await eventually("all jobs are settled: \(worker.counts)") { worker.counts.jobsOpen == 0 }
                }
                #expect(installation.results.entries.values.allSatisfy { $0.count == 1 })
                #expect(installation.results.rejections.count == 1)
            }
        }

        /// Sets the broker's maximum message size. RabbitMQ 3 reads it from the application's environment, RabbitMQ 4
        /// from a persistent term.
        private func limit(bytes: Int) async throws {
            try await PrivateServers.evaluateInBroker(
                """
                application:set_env(rabbit, max_message_size, \(bytes)), persistent_term:put(max_message_size, \(bytes)).
                """)
        }
    }
}
