import PushModel

/// Rules about the contents of an outcome.
enum OutcomeRules {
    static let all = [
        oneOutcomeEach, ofTheJob, noEmptyReports, toItsSink, ownVerdicts, reasons, waits, deaths, cuts, times,
    ]

    private static let oneOutcomeEach = ConformanceRule(
        "one outcome each", "Each recipient of a job has exactly one outcome by the time that shutDown returns."
    ) { trial in
        let jobs = try [1, 2, 150].flatMap { count in
            try Lane.allCases.map { try trial.job(to: trial.good(count), lane: $0) }
        }
        await trial.deliver(jobs, to: RecordingSink())
        // The end of every trial counts the outcomes.
        return []
    }

    private static let ofTheJob = ConformanceRule(
        "recipients of the job", "An outcome's `recipient` is an index into its job's recipients."
    ) { trial in
        let jobs = [try trial.job(to: trial.good(1)), try trial.job(to: trial.good(40))]
        let entries = await trial.outcomes(of: jobs)
        return jobs.flatMap { job in
            entries.of(job).problems("the job has \(job.recipients.count) recipients") {
                !job.recipients.indices.contains($0.recipient)
            }
        }
    }

    private static let noEmptyReports = ConformanceRule(
        "no empty reports", "A report has at least one outcome."
    ) { trial in
        let count = try await trial.tour().emptyReports
        return count == 0 ? [] : ["\(count) reports had no outcome"]
    }

    private static let toItsSink = ConformanceRule(
        "to its sink", "Outcomes are reported to the sink that was passed with their job."
    ) { trial in
        let pairs = try (1...5).map { _ in (job: try trial.job(to: trial.good(3)), recorder: RecordingSink()) }
        if trial.setup.can(.slow) { try await trial.behave(.slow) }
        // All jobs are sent at once, so that all of them are in progress when the first is answered.
        trial.send(pairs)
        _ = await eventually(within: trial.limits.patience) { pairs.reduce(0) { $0 + $1.recorder.reported } >= 15 }
        return pairs.flatMap { job, recorder in
            recorder.entries.problems("was reported to the sink of \(job.id)") { $0.number != job.number }
        }
    }

    private static let ownVerdicts = ConformanceRule(
        "verdicts of its own", "Only the host may report `suppressed`, because it knows which tokens are marked dead."
    ) { trial in
        try await trial.tour().entries.problems("an output must not report it") { $0.verdict == .suppressed }
    }

    private static let reasons = ConformanceRule(
        "reasons",
        "A `sent` outcome has no reason. Any other has one, except that `expired` and `returned` need none."
    ) { trial in
        try await trial.tour().entries.flatMap { entry -> [String] in
            switch entry.verdict {
            case .sent: entry.reason == nil ? [] : ["\(entry): a reason although it was sent"]
            case .expired, .returned, .suppressed: []
            case .unregistered, .rejected, .failed, .unknown, .retry, .hold:
                (entry.reason ?? "").isEmpty ? ["\(entry): no reason"] : []
            }
        }
    }

    private static let waits = ConformanceRule(
        "waits", "`retryAfterSeconds` is at least 0, and above 0 only with `retry`, `hold` and `unknown`."
    ) { trial in
        try await trial.tour().entries.flatMap { entry in
            let mayWait = [.retry, .hold, .unknown].contains(entry.verdict)
            let isRight = mayWait ? entry.retryAfterSeconds >= 0 : entry.retryAfterSeconds == 0
            return isRight ? [] : ["\(entry): retryAfterSeconds is \(entry.retryAfterSeconds)"]
        }
    }

    private static let deaths = ConformanceRule(
        "deaths", "Only `unregistered` has an `unregisteredAt`, which is in the past, and its judge is the provider."
    ) { trial in
        try await trial.tour().entries.flatMap { entry -> [String] in
            guard entry.verdict == .unregistered else {
                return entry.unregisteredAt == nil ? [] : ["\(entry): has an unregisteredAt"]
            }
            var problems = entry.judge == .provider ? [] : ["\(entry): its judge is \(entry.judge)"]
            guard let at = entry.unregisteredAt else { return problems + ["\(entry): has no unregisteredAt"] }
            if at > entry.cameAt.later(by: trial.limits.clockDifference) {
                problems.append("\(entry): unregisteredAt is in the future, \(at.rfc3339)")
            }
            return problems
        }
    }

    private static let cuts = ConformanceRule(
        "cuts", "A payload is cut only if its job has `trim`, so `trimmedBytes` is 0."
    ) { trial in
        try await trial.tour().entries.flatMap { entry in
            entry.trimmedBytes == 0 ? [] : ["\(entry): trimmedBytes is \(entry.trimmedBytes)"]
        }
    }

    private static let times = ConformanceRule(
        "times", "An outcome's `at` lies between the sending of its job and the report of the outcome."
    ) { trial in
        let recorder = try await trial.tour()
        let earliest = recorder.begunAt.later(by: .zero - trial.limits.clockDifference)
        return recorder.entries.flatMap { entry in
            let latest = entry.cameAt.later(by: trial.limits.clockDifference)
            return (earliest...max(earliest, latest)).contains(entry.at)
                ? [] : ["\(entry): at \(entry.at.rfc3339), reported at \(entry.cameAt.rfc3339)"]
        }
    }
}
