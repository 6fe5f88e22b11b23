import PushModel

/// Rules about jobs with a deadline.
enum DeadlineRules {
    static let all = [expired, notExpired]

    private static let expired = ConformanceRule(
        "deadline past", "A job whose deadline has passed is `expired`, and none of its pushes is sent."
    ) { trial in
        let jobs = try [1, 40].map { try trial.job(to: trial.good($0), expiresAt: Trial.past) }
        let entries = await trial.outcomes(of: jobs)
        let arrivals = await trial.arrivals()
        return jobs.flatMap { job in
            entries.of(job).problems(unless: .expired, job.id) + job.problemsOfHonesty(entries, arrivals)
        }
    }

    private static let notExpired = ConformanceRule(
        "deadline to come",
        "Pushes with a future deadline, or with 0 (the provider must not store the push), are sent as usual."
    ) { trial in
        let jobs = try [Trial.future, "0"].map { try trial.job(to: trial.good(2), expiresAt: $0) }
        let entries = await trial.outcomes(of: jobs)
        return jobs.flatMap { entries.of($0).problems(unless: .sent, $0.id) }
    }
}
