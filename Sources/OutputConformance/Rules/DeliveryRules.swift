import PushModel

/// Rules about deliveries to a healthy provider.
enum DeliveryRules {
    static let all = [
        name, delivers, deliversOnce, refusedRecipients, deadRecipients, doubtfulRecipients, statedRefusals,
    ]

    private static let name = ConformanceRule(
        "name",
        "The plugin has the harness's name, which never changes and is a routing key's word of at most 32 bytes."
    ) { trial in
        let name = trial.setup.plugin.name
        let entries = await trial.outcomes(of: try trial.job(to: trial.good(1)))
        var problems: [String] = []
        if name.isEmpty || name.utf8.count > 32 { problems.append("\"\(name)\" has \(name.utf8.count) bytes") }
        if name.unicodeScalars.contains(where: {
            ".*#\"\\ ".unicodeScalars.contains($0) || !(33...126).contains($0.value)
        }) {
            problems.append("\"\(name)\" is not a word of a routing key")
        }
        if name != trial.harness.name { problems.append("is \"\(name)\", not the harness's \"\(trial.harness.name)\"") }
        if trial.setup.plugin.name != name {
            problems.append("was \"\(name)\", is \"\(trial.setup.plugin.name)\" after \(entries.count) pushes")
        }
        return problems
    }

    private static let delivers = ConformanceRule(
        "delivers", "A push that the provider accepts is `sent`, in all lanes."
    ) { trial in
        let jobs = try Lane.allCases.map { try trial.job(to: trial.good(20), lane: $0) }
        let entries = await trial.outcomes(of: jobs)
        return jobs.flatMap { entries.of($0).problems(unless: .sent, $0.id) }
    }

    private static let deliversOnce = ConformanceRule(
        "delivers once", "Each `sent` push has reached the provider exactly once, and no other push has.",
        needs: [.arrivals]
    ) { trial in
        let job = try trial.job(to: trial.good(150))
        let entries = await trial.outcomes(of: job)
        let arrivals = await trial.arrivals() ?? [:]
        let others = Set(arrivals.keys).subtracting(job.recipients).sorted()
        return job.problemsOfHonesty(entries, arrivals)
            + arrivals.filter { $1 > 1 }.map { "\($0) received \($1) pushes" } + others.map { "\($0) received a push" }
    }

    private static let refusedRecipients = ConformanceRule(
        "refused recipients", "A permanently refused recipient is `rejected`, and the others of the job are `sent`.",
        needs: [.refusedRecipients]
    ) { trial in try await among(trial.samples.refused, .rejected, trial) }

    private static let deadRecipients = ConformanceRule(
        "dead recipients", "A recipient that the provider reports dead is `unregistered`, and the others are `sent`.",
        needs: [.deadRecipients]
    ) { trial in try await among(trial.samples.dead, .unregistered, trial) }

    private static let doubtfulRecipients = ConformanceRule(
        "doubtful refusals",
        "A refusal applies to one request only: concurrent and later requests with the same credential are `sent`.",
        needs: [.doubtfulRecipients]
    ) { trial in
        var problems: [String] = []
        for round in 0..<6 {
            let good = trial.good(4)
            var jobs = [try trial.job(to: Array(good.prefix(2)))]
            for doubtful in trial.samples.doubtful {
                jobs.insert(try trial.job(to: [doubtful]), at: round % 2)
                jobs.append(try trial.job(to: [good[2], doubtful, good[3]]))
            }
            let entries = await trial.outcomes(of: jobs)
            for job in jobs {
                let bad = entries.of(job, to: trial.samples.doubtful)
                if !bad.isEmpty { problems += bad.problems(unless: [.retry, .rejected, .failed], job.id) }
                let others = entries.of(job, to: good)
                if !others.isEmpty { problems += others.problems(unless: .sent, "good recipients, round \(round)") }
            }
        }
        return problems
    }

    private static let statedRefusals = ConformanceRule(
        "stated refusals",
        "If the provider states for one recipient that it refuses the credential, but accepts the credential for others, "
            + "the others are `sent`.",
        needs: [.credentialRefusedRecipients]
    ) { trial in
        var problems = await trial.outcomes(of: try trial.job(to: trial.good(1)))
            .problems(unless: .sent, "first recipient")
        for round in 0..<6 {
            let good = trial.good(3)
            let refused = try trial.job(to: [good[0]] + trial.samples.credentialRefused + [good[1]])
            let jobs = [refused, try trial.job(to: [good[2]])]
            let entries = await trial.outcomes(of: round % 2 == 0 ? jobs : jobs.reversed())
            problems += entries.of(refused, to: trial.samples.credentialRefused)
                .problems(unless: [.retry, .rejected, .failed, .hold], refused.id)
            for job in jobs {
                problems += entries.of(job, to: good).problems(unless: .sent, "good recipients, round \(round)")
            }
        }
        return problems
    }

    /// Sends a job with bad recipients between good ones. Returns a line of text for each recipient with an unexpected
    /// verdict.
    private static func among(
        _ bad: [String], _ verdict: Outcome.Verdict, _ trial: Trial
    ) async throws -> [String] {
        let good = trial.good(4)
        let job = try trial.job(to: good.prefix(2) + bad + good.suffix(2))
        let entries = await trial.outcomes(of: job)
        return entries.of(job, to: good).problems(unless: .sent, "good recipients")
            + bad.flatMap { entries.of(job, to: [$0]).problems(unless: verdict, $0) }
    }
}
