import PushModel

/// Rules about cancelled jobs.
enum CancellingRules {
    static let all = [cancels, sparesOthers, forgetsCancelling]

    private static let cancels = ConformanceRule(
        "cancel",
        "Pushes of a cancelled job are `failed` with `Cancelled`, unless they are on the wire and are awaited.",
        needs: [.behaviour(.slow), .crowd]
    ) { trial in
        try await trial.withCrowds { trial, count in
            let recorder = RecordingSink()
            let crowd = try await trial.crowd(of: count, in: recorder)
            trial.cancel(crowd.id)
            await recorder.wait(for: count, atMost: trial.limits.patience)
            let entries = recorder.entries.of(crowd)
            let failed = entries.filter { $0.verdict == .failed }
            let problems =
                entries.problems(unless: [.sent, .failed], crowd.id)
                + failed.problems("not \(Outcome.cancelled)") { $0.reason != Outcome.cancelled }
                + crowd.problemsOfHonesty(entries, await trial.arrivals())
            return (problems, isTelling: !failed.isEmpty)
        }
    }

    private static let sparesOthers = ConformanceRule(
        "cancel spares others", "Jobs to which a cancellation does not apply continue."
    ) { trial in
        guard trial.setup.can(.slow), trial.samples.crowd > 0 else {
            return try await others(trial, beside: try trial.job(to: trial.good(3)), in: RecordingSink(), isSent: false)
        }
        return try await trial.withCrowds(mayAllPass: true) { trial, count in
            let recorder = RecordingSink()
            let crowd = try await trial.crowd(of: count, in: recorder)
            let problems = try await others(trial, beside: crowd, in: recorder, isSent: true)
            return (problems, isTelling: recorder.entries.of(crowd).contains { $0.verdict == .failed })
        }
    }

    /// Cancels a job while another job waits behind it. Returns a line of text for each violation in the other job's
    /// outcomes.
    private static func others(
        _ trial: Trial, beside meant: SampleJob, in recorder: RecordingSink, isSent: Bool
    ) async throws -> [String] {
        let other = try trial.job(to: trial.good(3))
        trial.send(isSent ? [other] : [meant, other], to: recorder)
        trial.cancel(meant.id)
        await recorder.wait(for: meant.recipients.count + 3, atMost: trial.limits.patience)
        return recorder.entries.of(other).problems(unless: .sent, "not cancelled")
    }

    private static let forgetsCancelling = ConformanceRule(
        "cancel is for now", "A cancellation does not apply to jobs that are sent after it, even with the same id."
    ) { trial in
        let first = try trial.job(to: trial.good(2), id: "again")
        _ = await trial.outcomes(of: first)
        trial.cancel("again")
        // The outcome of this job shows that the cancellation has taken effect.
        _ = await trial.outcomes(of: try trial.job(to: trial.good(1)))
        return await trial.outcomes(of: try trial.job(to: trial.good(2), id: "again"))
            .problems(unless: .sent, "sent later")
    }
}
