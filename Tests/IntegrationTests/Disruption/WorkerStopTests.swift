import APNSSimulator
import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Workers that are stopped, killed or made to reload their configuration by a signal.
@Suite(.needsServers)
struct WorkerStopTests {
    @Test func drainsOnStopAndLeavesRestToNextWorker() async throws {
        try await Installation.with(simulator: { $0.streamLimit = LongCampaign.streamLimit }) { installation in
            let campaign = LongCampaign()
            try await begin(campaign, in: installation) { worker in
                worker.signal(SIGTERM)
                let finished = try await worker.finish()
                #expect(finished.status == 0, "\(finished)")
                #expect(finished.errors.contains("All jobs are settled"), "\(finished)")
                // Each push that was sent has an outcome, and the others are requeued.
                try await eventually("every push that was sent has an outcome") {
                    installation.results.count == installation.simulator.recordedArrivals.count
                }
                #expect(installation.results.count < campaign.recipients)
            }
            try await finish(campaign, in: installation)
            #expect(installation.results.entries.values.allSatisfy { $0.count == 1 })
            #expect(installation.simulator.recordedArrivals.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func losesNothingWhenKilled() async throws {
        try await Installation.with(simulator: { $0.streamLimit = LongCampaign.streamLimit }) { installation in
            let campaign = LongCampaign()
            try await begin(campaign, in: installation) { worker in
                worker.signal(SIGKILL)
                let finished = try await worker.finish()
                #expect(finished.status == 128 + SIGKILL)
                #expect(installation.results.count < campaign.recipients)
            }
            try await finish(campaign, in: installation)
        }
    }

    @Test func exitsAtOnceOnSecondSignalWithoutLoss() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(LongCampaign.app)
            let worker = try installation.startWorker()
            defer { worker.signal(SIGKILL) }
            let tokens = Token.random(Token.slow(9_000), count: 3)
            try await installation.publish([JobText("slow", app: LongCampaign.app, to: tokens)])
            try await eventually("pushes are on the wire: \(worker.errors)") {
                await installation.simulator.counters().arrivals > 0
            }
            worker.signal(SIGTERM)
            try await eventually("the worker drains: \(worker.errors)") { worker.errors.contains("Stopping") }
            worker.signal(SIGTERM)
            let finished = try await worker.finish()
            #expect(finished.status == 1 && finished.errors.contains("second stop signal"), "\(finished)")
            try await installation.withWorker { _ in try await installation.results.wait(for: 3) }
            // The worker may have requeued pushes before it exited. They are then sent twice, because the broker also
            // redelivers the whole job.
            #expect(Set(installation.results.entries.keys.map(\.token)) == Set(tokens))
            #expect(Set(installation.results.tally.keys) == ["sent"])
        }
    }

    /// The drain timeout also applies if the request timeout is longer.
    @Test func stopsAtDrainTimeoutIfProviderIsSilent() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(LongCampaign.app)
            let worker = try installation.startWorker(["apns.request_timeout": "600", "worker.drain_timeout": "1"])
            defer { worker.signal(SIGKILL) }
            let tokens = Token.random(Token.never, count: 3)
            try await installation.publish([JobText("silent", app: LongCampaign.app, to: tokens)])
            try await eventually("a push is on the wire: \(worker.errors)") {
                await installation.simulator.counters().arrivals > 0
            }
            worker.signal(SIGTERM)
            let finished = try await worker.finish()
            #expect(finished.status == 0, "\(finished)")
            let lines = finished.errors.split(separator: "\n")
            let unsettled = lines.first { $0.contains("Some jobs were not settled in time") }
            #expect(unsettled?.contains("jobs=1") == true && unsettled?.contains("pushes=") == true, "\(finished)")
            #expect(lines.last?.contains("jobs_left=1") == true, "\(finished)")
            #expect(installation.results.count == 0)
        }
    }

    @Test func reloadsConfigurationOnSIGHUP() async throws {
        try await Installation.with { installation in
            let file = try installation.configuration(["log.level": "notice"], file: "reloaded.yaml")
            let worker = try Subprocess([Project.command, "worker", "--config", file], in: installation.folder)
            defer { worker.signal(SIGKILL) }
            try await eventually("the worker starts: \(worker.errors)") { worker.errors.contains("Worker started") }
            #expect(!worker.errors.contains(" info "))
            _ = try installation.configuration(["log.level": "chatty"], file: "reloaded.yaml")
            try await eventually("the worker reports the invalid level: \(worker.errors)") {
                worker.signal(SIGHUP)
                try await Task.sleep(for: .milliseconds(100))
                return worker.errors.contains("is chatty")
            }
            _ = try installation.configuration(
                ["log.level": "info", "log.format": "json"], file: "reloaded.yaml")
            worker.signal(SIGHUP)
            try await eventually("the worker reloads the configuration: \(worker.errors)") {
                worker.errors.contains("Configuration reloaded")
            }
            try await installation.addTokenApp(LongCampaign.app)
            try await eventually("the new level and format apply: \(worker.errors)") {
                worker.errors.contains(#""severity_text":"info""#)
            }
            worker.signal(SIGTERM)
            try await eventually("the worker drains: \(worker.errors)") { worker.errors.contains("Stopping") }
            worker.signal(SIGHUP)
            #expect(try await worker.finish().status == 0)
        }
    }

    @Test func survivesSIGHUPBeforeStart() async throws {
        try await Installation.with { installation in
            let refusing = try RefusingPort()
            let file = try installation.configuration(["database.url": "postgres://127.0.0.1:\(refusing.port)/none"])
            let worker = try Subprocess([Project.command, "worker", "--config", file], in: installation.folder)
            defer { worker.signal(SIGKILL) }
            let waiting = "Waiting for the database"
            try await eventually("the worker waits: \(worker.errors)") { worker.errors.contains(waiting) }
            worker.signal(SIGHUP)
            // A repeated log line is suppressed for a minute.
            try await eventually("the worker still waits: \(worker.errors)", within: .seconds(300)) {
                !worker.isRunning || worker.errors.ranges(of: waiting).count > 1
            }
            #expect(worker.isRunning, "\(worker.errors)")
        }
    }

    /// Publishes the campaign, and runs `body` with the worker when the first outcomes have arrived.
    private func begin(
        _ campaign: LongCampaign, in installation: Installation, _ body: (Subprocess) async throws -> Void
    ) async throws {
        try await installation.addTokenApp(LongCampaign.app)
        let worker = try installation.startWorker(LongCampaign.workerConfiguration)
        defer { worker.signal(SIGKILL) }
        try await installation.publish(campaign.jobs)
        try await eventually(worker.errors) { installation.results.count >= campaign.recipients / 10 }
        try await body(worker)
    }

    /// Runs another worker until the campaign is finished, and checks the outcomes.
    private func finish(_ campaign: LongCampaign, in installation: Installation) async throws {
        let port = try freePort()
        try await installation.withWorker(["http.listen": "127.0.0.1:\(port)"]) { _ in
            try await campaign.finish(in: installation, port: port)
        }
        try await campaign.check(in: installation)
    }
}
