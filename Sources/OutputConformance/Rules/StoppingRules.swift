import PushModel

/// Rules about pushes during shutdown.
enum StoppingRules {
    static let all = [bringsBack, awaitsTheWire, turnsAway, shutsDown, closesAll, isQuiet]

    private static let bringsBack = ConformanceRule(
        "stop returns", "After stopSending, pushes that are not on the wire are `returned`.",
        needs: [.behaviour(.slow), .crowd]
    ) { trial in
        try await trial.withCrowds { trial, count in
            let recorder = RecordingSink()
            let crowd = try await trial.crowd(of: count, in: recorder)
            trial.stopSending()
            await recorder.wait(for: count, atMost: trial.limits.patience)
            return ([], isTelling: recorder.entries.of(crowd).contains { $0.verdict == .returned })
        }
    }

    private static let awaitsTheWire = ConformanceRule(
        "stop awaits the wire", "After stopSending, pushes on the wire are awaited, and their outcomes are reported.",
        needs: [.behaviour(.slow), .crowd, .arrivals]
    ) { trial in
        try await trial.withCrowds { trial, count in
            let recorder = RecordingSink()
            let crowd = try await trial.crowd(of: count, in: recorder)
            trial.stopSending()
            await recorder.wait(for: count, atMost: trial.limits.patience)
            let entries = recorder.entries.of(crowd)
            let problems =
                entries.problems(unless: [.sent, .returned], crowd.id)
                + crowd.problemsOfHonesty(entries, await trial.arrivals())
            return (problems, isTelling: entries.contains { $0.verdict == .returned })
        }
    }

    private static let turnsAway = ConformanceRule(
        "stop turns away", "Jobs that are sent after stopSending are `returned`."
    ) { trial in
        trial.stopSending()
        let first = await trial.outcomes(of: try trial.job(to: trial.good(3)))
        trial.stopSending()
        let second = await trial.outcomes(of: try trial.job(to: trial.good(1), lane: .urgent))
        return (first + second).problems(unless: .returned, "after the stop")
    }

    private static let shutsDown = ConformanceRule(
        "shutDown returns", "shutDown returns, even if the output was never used."
    ) { trial in
        let unused = Trial(trial.harness, try await trial.harness.make(), trial.limits)
        let problems = await unused.end().map { "unused: \($0)" }
        // The end of every trial shuts down the output of the trial.
        _ = await trial.outcomes(of: try trial.job(to: trial.good(20)))
        return problems
    }

    private static let closesAll = ConformanceRule(
        "shutDown closes", "After shutDown, no connection is open.", needs: [.openConnections]
    ) { trial in
        _ = await trial.outcomes(of: try trial.job(to: trial.good(20)))
        await trial.shutDown()
        // The double may notice the closed connections a moment later.
        let isClosed = await eventually(within: trial.limits.patience) { await trial.setup.openConnections?() == 0 }
        return isClosed ? [] : ["\(await trial.setup.openConnections?() ?? 0) connections are open"]
    }

    private static let isQuiet = ConformanceRule(
        "stop repeats nothing", "stopSending and shutDown do not report an outcome again."
    ) { trial in
        let job = try trial.job(to: trial.good(20))
        let recorder = RecordingSink()
        await trial.deliver([job], to: recorder)
        let before = recorder.entries.count
        trial.stopSending()
        await trial.shutDown()
        return recorder.entries.dropFirst(before).map { "after all outcomes: \($0)" }
    }
}
