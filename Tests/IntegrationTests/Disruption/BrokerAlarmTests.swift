import AMQPClient
import APNSSimulator
import Contract
import DeliveryPipeline
import PushModel
import TestSupport
import Testing

extension PrivateServerTests {
    /// A broker that accepts no messages because it is short of memory.
    struct BrokerAlarmTests {
        private static let app = "com.example.shop"

        @Test func publishesBlockedEventsAfterAlarm() async throws {
            let servers = try #require(PrivateServers.current)
            try await Installation.with(servers: servers) { installation in
                try await installation.addTokenApp(Self.app)
                let jobs = (0..<20).map { JobText("job-\($0)", app: Self.app, to: Token.random(count: 5)) }
                // The jobs are published before the alarm, because it also blocks the test's publisher.
                try await installation.publish(jobs)
                try await PrivateServers.setMemoryLimit("0.00001")
                try await InProcessWorker.run(in: installation) { worker in
                    do {
                        try await eventually("all pushes are sent: \(worker.counts)") {
                            installation.simulator.recordedRequests.count >= 100
                        }
                        try await eventually("the broker blocks publishing: \(installation.log.text)") {
                            installation.log.text.contains("The broker blocks publishing")
                        }
                        #expect(!worker.counts.isPublishing && installation.results.count == 0)
                    } catch {
                        Issue.record(error)
                    }
                    try await PrivateServers.setMemoryLimit("0.4")
                    try await installation.results.wait(for: 100)
                    try await eventually("the worker can publish again") { worker.counts.isPublishing }
                }
                #expect(installation.results.tally == ["sent": 100])
                #expect(installation.results.entries.values.joined().allSatisfy { $0.outcome.redelivered == nil })
                #expect(try await installation.waitingMessages().isEmpty)
            }
        }

        /// No job is lost, and no unconfirmed job is reported as published. The same applies to the programs of
        /// examples/clients.
        @Test func publishersTimeOutDuringAlarm() async throws {
            let servers = try #require(PrivateServers.current)
            try await Installation.with(servers: servers) { installation in
                try await installation.addTokenApp(Self.app)
                let jobs = (0..<3).map { JobText("dead-\($0)", app: Self.app, to: [Token.random()]) }
                try await installation.publishDead(jobs.map { (Array($0.json.utf8), AMQPProperties()) })
                try await PrivateServers.setMemoryLimit("0.00001")
                let expected =
                    #/has not confirmed (?:job live|it) within 3 s; it blocks publishers \(.+\): look for an alarm/#
                do {
                    try await eventually("the broker has an alarm") {
                        (try? await PrivateServers.evaluateInBroker("[_ | _] = rabbit_alarm:get_alarms().")) != nil
                    }
                    async let examples = Self.publishExamples(installation)
                    let job = JobText("live", app: Self.app, to: [Token.random()]).json
                    let published = try await installation.martlet(["job", "publish", "--timeout", "3"], input: job)
                    #expect(published.status == 1 && published.output == "", "\(published)")
                    #expect(published.errors.contains(expected), "\(published)")
                    #expect(published.errors.contains("job live"), "\(published)")
                    let replayed = try await installation.martlet(["dead", "replay", "--timeout", "3"])
                    #expect(replayed.status == 1 && replayed.output == "", "\(replayed)")
                    #expect(replayed.errors.contains(expected), "\(replayed)")
                    #expect(replayed.errors.contains("replayed no jobs\n"), "\(replayed)")
                    for (language, published) in try await examples {
                        #expect(published.status != 0 && !published.errors.isEmpty, "\(language): \(published)")
                    }
                } catch {
                    Issue.record(error)
                }
                try await PrivateServers.setMemoryLimit("0.4")
                let replayed = try await installation.martlet(["dead", "replay"])
                #expect(replayed.status == 0 && replayed.output == "replayed 3 jobs\n", "\(replayed)")
                try await eventually("the replayed jobs are in their lane") {
                    try await installation.waitingMessages()[installation.names.queue(of: .normal)] ?? 0 >= 3
                }
            }
        }

        /// Runs the publishers of all installed languages at the same time, and returns how each of them ends.
        ///
        /// - Throws: an error if a publisher does not end.
        private static func publishExamples(
            _ installation: Installation
        ) async throws -> [(ClientLanguage, Subprocess.Finished)] {
            try await withThrowingTaskGroup(of: (ClientLanguage, Subprocess.Finished).self) { group in
                for language in ClientLanguage.allCases where language.isInstalled {
                    group.addTask {
                        let example = try await ClientExample(language, installation)
                        let token = Token.random()
                        return (
                            language, try await example.publish("live", to: [token], url: installation.servers.broker)
                        )
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
    }
}

extension PrivateServers {
    /// Sets the memory limit of the broker.
    ///
    /// - Parameter share: the limit, as a fraction of the machine's memory.
    fileprivate static func setMemoryLimit(_ share: String) async throws {
        try await evaluateInBroker("vm_memory_monitor:set_vm_memory_high_watermark(\(share)).")
    }
}
