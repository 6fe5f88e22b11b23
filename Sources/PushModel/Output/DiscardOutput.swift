import Foundations

/// An output that delivers nothing. It reports recipients as sent, unless their job has expired or the output was
/// stopped. It is used for load tests of the broker and the database, and is the smallest example of an output.
public final class DiscardOutput: Output {
    private let now: @Sendable () -> Timestamp
    private let isStopped = Atomic(false)

    public init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
    }

    public func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        let at = now()
        let verdict: Outcome.Verdict =
            if job.job.isExpired(at: at) { .expired } else if isStopped.load(ordering: .relaxed) { .returned } else {
                .sent
            }
        sink.report(
            job.job.recipients.indices.map { Outcome(job: job, recipient: $0, verdict: verdict, at: at) })
    }

    public func credentialsChanged(to credentials: Set<Credential.ID>) {}

    public func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {}

    public func stopSending() { isStopped.store(true, ordering: .relaxed) }

    public func shutDown() async {}
}
