import PushModel

/// Rules about the objects that an output may retain.
enum RetentionRules {
    static let all = [releasesJobs, releasesAll]

    private static let releasesJobs = ConformanceRule(
        "jobs are released", "The output releases a job after its last outcome, because the job may be large."
    ) { trial in
        let recorder = RecordingSink()
        let jobs = try await handedIn(trial, recorder)
        _ = await eventually(within: trial.limits.patience) { jobs.allSatisfy { $0.object == nil } }
        return jobs.filter { $0.object != nil }.map { "\($0.name) is still retained" }
    }

    private static let releasesAll = ConformanceRule(
        "all is released", "After shutDown, nothing retains a sink or the output."
    ) { trial in
        let (rest, atTheEnd, stop) = try await shutDown(trial.harness, trial.limits)
        _ = await eventually(within: trial.limits.patience) { rest.allSatisfy { $0.object == nil } }
        let problems = rest.filter { $0.object != nil }.map { "\($0.name) is still retained" }
        await stop()
        return problems + atTheEnd
    }

    private struct Weak: Sendable {
        let name: String
        weak let object: (any AnyObject & Sendable)?
    }

    /// Sends jobs and waits for their outcomes. Returns weak references to the jobs.
    private static func handedIn(_ trial: Trial, _ recorder: RecordingSink) async throws -> [Weak] {
        let jobs = try [
            trial.job(to: trial.good(1)), trial.job(to: trial.good(40), lane: .bulk),
            trial.job(to: trial.samples.refused + trial.samples.dead + trial.good(1)),
            trial.job(to: trial.good(2), expiresAt: Trial.past),
        ]
        await trial.deliver(jobs, to: recorder)
        return jobs.map { Weak(name: "\($0.id), of \($0.recipients.count)", object: $0.routed) }
    }

    private static func shutDown(
        _ harness: OutputHarness, _ limits: ConformanceLimits
    ) async throws -> (rest: [Weak], atTheEnd: [String], stop: @Sendable () async -> Void) {
        let trial = Trial(harness, try await harness.make(), limits)
        let recorder = RecordingSink()
        _ = try await handedIn(trial, recorder)
        let atTheEnd = await trial.close()
        return (
            [Weak(name: "the output", object: trial.setup.output), Weak(name: "a sink", object: recorder)], atTheEnd,
            trial.setup.stop
        )
    }
}
