package import PushModel

extension OutcomeSink {
    /// Reports the same outcome for every recipient of a job. Call this only if none of its pushes has been sent.
    package func reportAll(
        of job: RoutedJob, _ verdict: Outcome.Verdict, reason: String?, detail: String? = nil, at now: Timestamp
    ) {
        report(
            job.job.recipients.indices.map {
                Outcome(job: job, recipient: $0, verdict: verdict, reason: reason, detail: detail, at: now)
            })
    }
}
