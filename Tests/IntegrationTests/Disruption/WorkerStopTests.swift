import APNSSimulator
import Foundation
import TestSupport
import Testing

/// The worker is stopped or killed in the middle of a campaign, and another one goes on.
@Suite(.enabled(if: Installation.Servers.shared != nil, Installation.Servers.areMissing))
struct WorkerStopTests {
    @Test func aStopDrainsAndTheNextWorkerDoesTheRest() async throws {
        try await Installation.with(simulator: { $0.streamLimit = LongCampaign.streamLimit }) { installation in
            let campaign = LongCampaign()
            try await begin(campaign, in: installation) { worker in
                worker.signal(SIGTERM)
                let finished = try await worker.finish(within: .seconds(30))
                #expect(finished.status == 0, "\(finished)")
                #expect(finished.errors.contains("Everything is settled"), "\(finished)")
                // One outcome for each push, and the rest back in the queue.
                try await eventually("outcomes of what was sent") {
                    installation.results.count == installation.simulator.recordedArrivals.count
                }
                #expect(installation.results.count < campaign.recipients)
            }
            try await finish(campaign, in: installation)
            #expect(installation.results.entries.values.allSatisfy { $0.count == 1 })
            #expect(installation.simulator.recordedArrivals.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func aKilledWorkerLosesNothing() async throws {
        try await Installation.with(simulator: { $0.streamLimit = LongCampaign.streamLimit }) { installation in
            let campaign = LongCampaign()
            try await begin(campaign, in: installation) { worker in
                worker.signal(SIGKILL)
                let finished = try await worker.finish(within: .seconds(10))
                #expect(finished.status == 128 + SIGKILL)
                #expect(installation.results.count < campaign.recipients)
            }
            try await finish(campaign, in: installation)
        }
    }

    /// Publishes the campaign, and lends the worker when the first outcomes are there.
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

    private func finish(_ campaign: LongCampaign, in installation: Installation) async throws {
        try await installation.withWorker { _ in
            try await installation.results.wait(for: campaign.recipients)
        }
        try await campaign.check(in: installation)
    }
}
