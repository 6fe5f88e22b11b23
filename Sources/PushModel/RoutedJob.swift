/// A job together with the results of routing, on its way through an output.
public final class RoutedJob: Sendable {
    public let job: Job
    public let environment: PushEnvironment
    /// The credential, or `nil` if the output needs none.
    public let credential: Credential?
    public let lane: Lane
    /// The number of the attempt, starting at 1. It increases with each retry. A hold or another delay does not count.
    public let attempt: Int
    /// Whether some of the job's pushes may already have been sent, because the broker has delivered the job before or
    /// an earlier attempt got no answer.
    public let redelivered: Bool
    /// The pipeline's handle for the job. Outputs do not use it.
    package let ledgerID: Int
    package let traits: OutputTraits
    package let tally: OutcomeTally
    /// The trace to which the job belongs, or `nil` if it belongs to none.
    public let trace: TraceHeaders?
    /// Whether spans of the job are recorded. The value is stored, because it is read for each push.
    package let isTraced: Bool

    package init(
        job: Job, environment: PushEnvironment, credential: Credential?, lane: Lane, attempt: Int,
        redelivered: Bool, ledgerID: Int, traits: OutputTraits = .plain, tally: OutcomeTally = .none,
        trace: TraceHeaders? = nil
    ) {
        self.job = job
        self.environment = environment
        self.credential = credential
        self.lane = lane
        self.attempt = attempt
        self.redelivered = redelivered
        self.ledgerID = ledgerID
        self.traits = traits
        self.tally = tally
        self.trace = trace
        isTraced = trace?.isRecorded == true
    }

    /// Returns a copy of this job with only the recipients at the given indices.
    package func limited(to recipients: [Int]) -> RoutedJob {
        RoutedJob(
            job: job.limited(to: recipients), environment: environment, credential: credential, lane: lane,
            attempt: attempt, redelivered: redelivered, ledgerID: ledgerID, traits: traits,
            tally: tally, trace: trace)
    }
}
