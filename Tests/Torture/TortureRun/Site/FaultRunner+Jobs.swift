import APNSSimulator
import Foundation
import Store
import TestSupport
import Routing

/// The faults that publish jobs themselves.
extension FaultRunner {
    /// The delay of all data to and from the broker while a worker splits a job, in milliseconds. The delay gives the
    /// run time to kill the worker. It is short, because all data on the link is delayed.
    private static let delay = 20
    /// The corresponding delay for a staged job, in milliseconds. No other fault occurs at that time.
    private static let stagedDelay = 50
    private static let longestWait = Duration.seconds(20)

    /// Kills the worker that splits a job, after the job's first push and before its last chunks are published.
    ///
    /// - Returns: the time at which the workers were killed, or at which the fault was skipped.
    func killWhileSplitting(_ number: Int) async throws -> Int64 {
        let others = site.workers[1..<site.profile.workers].filter { $0.take() }
        defer { for worker in others { worker.release() } }
        setBrokerDelay(JobNumber.isStaged(number) ? Self.stagedDelay : Self.delay)
        defer { setBrokerDelay(0) }
        if JobNumber.isStaged(number) { publishers[0].publish(number) } else { publishers[0].publishOutOfTurn(number) }
        let deadline = ContinuousClock.now + Self.longestWait
        while !log.hasBegun(giant: number) {
            // The job still waits behind other jobs, so the fault is skipped.
            guard ContinuousClock.now < deadline else { return currentMilliseconds() }
            try await Task.sleep(for: .milliseconds(2))
        }
        let struck = currentMilliseconds()
        // All workers lose their connection or are killed at once, because any of them may be splitting the job.
        site.link(.broker, 1).cut()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in others { group.addTask { try await worker.kill() } }
            try await group.waitForAll()
        }
        setBrokerDelay(0)
        for worker in others { try worker.start() }
        return struck
    }

    private func setBrokerDelay(_ milliseconds: Int) {
        for worker in 1...site.profile.workers { site.link(.broker, worker).setDelay(milliseconds: milliseconds) }
    }

    // MARK: Campaigns

    /// Publishes the jobs of a campaign.
    ///
    /// - Parameter recipients: the total number of recipients of the campaign.
    func publish(_ campaign: Int, of recipients: Int) {
        for index in 0..<recipients / Workload.mostPacedAtOnce {
            publishers[index % publishers.count].publish(JobNumber.campaign(campaign, index))
        }
    }

    /// Restores the original stream limit of APNs. Otherwise, the limit that a fault has set would delay all later
    /// pushes.
    func endLimit() async {
        let limit = site.simulator.configuration.streamLimit
        await carryOut(Schedule.Entry(start: 0, milliseconds: 0, fault: .streamLimit(limit)))
    }

    /// Publishes the last campaigns after all faults. At its rate, each rate-limited app needs several windows to send
    /// its campaign. The campaigns show whether workers keep to the rate, use all of it, and send everything.
    func paceLast() async {
        for (index, app) in Workload.pacedApps.enumerated() {
            let pace = AppRateLimit(rate: site.profile.lastPace, includesUrgent: index > 0)
            await carryOut(Schedule.Entry(start: 0, milliseconds: 0, fault: .setPace(app: app, pace)))
        }
        guard site.profile.lastCampaign > 0 else { return }
        // After this time, all workers have learned of the rates, and requests that were held back have arrived.
        try? await Task.sleep(for: .milliseconds(Int(PaceJudge.settling)))
        for index in 0..<Workload.pacedApps.count {
            publish(JobNumber.lastCampaign(index), of: site.profile.lastCampaign)
        }
        await publishLastRound()
    }

    /// Publishes the jobs whose waiting times are judged. At this time, the faults no longer have effects, and many
    /// recipients of the last campaigns wait.
    private func publishLastRound() async {
        try? await Task.sleep(for: .milliseconds(Int(LaneJudge.calming - PaceJudge.settling) + 1_000))
        for index in 0..<Workload.lastRound {
            publishers[index % publishers.count].publish(JobNumber.lastRound(index))
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    // MARK: A worker that joins late

    private static let startTakes = Duration.seconds(30)

    /// Starts a worker during a flood of jobs. The flood contains many more recipients than the other workers can send
    /// during the fault. Regular publishing pauses during the flood.
    ///
    /// - Returns: the time at which the worker was stopped.
    func joinLate(for time: Duration) async throws -> Int64 {
        let worker = site.workers[site.profile.latecomer - 1]
        var slow = StandingFaults()
        slow.answerDelayMilliseconds = 1_000
        await site.simulator.setFaults(slow)
        await site.simulator.changeStreamLimit(to: 10)
        for index in 0..<site.profile.flood {
            publishers[index % publishers.count].publishOutOfTurn(JobNumber.flood(index))
        }
        // During this time, the other workers receive as many jobs as they can.
        try await Task.sleep(for: .seconds(3))
        try worker.start()
        var join = JoinRecord(worker: worker.number, ready: nil, firstOutcome: nil, left: 0)
        try? await eventually("start of worker \(worker.number)", within: Self.startTakes) { worker.hasStarted }
        if worker.hasStarted {
            let ready = currentMilliseconds()
            join.ready = ready
            while join.firstOutcome == nil, currentMilliseconds() - ready <= Verdict.joiningTakes {
                try await Task.sleep(for: .milliseconds(50))
                join.firstOutcome = log.firstOutcome(of: "worker-\(worker.number)")
            }
        }
        join.left = log.floodLeft
        let record = join
        log.update { $0.joins.append(record) }
        await site.simulator.setFaults(StandingFaults())
        await site.simulator.changeStreamLimit(to: site.simulator.configuration.streamLimit)
        try await Task.sleep(for: time)
        let struck = currentMilliseconds()
        try await worker.stop(within: .seconds(site.profile.drainSeconds + 45))
        return struck
    }
}
