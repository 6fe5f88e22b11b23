/// A job on its way through an output: what the job says, plus what routing has decided.
public final class RoutedJob: Sendable {
    public let job: Job
    public let environment: PushEnvironment
    /// nil for an output that needs none.
    public let credential: Credential?
    public let lane: Lane
    /// 1 for the first attempt; higher when the job comes back from a delay queue.
    public let attempt: Int
    /// The broker has delivered this job before, so some of its pushes may already have been sent.
    public let redelivered: Bool
    /// The pipeline's own handle; means nothing to an output.
    package let ledgerID: Int
    package let traits: OutputTraits
    package let tally: OutcomeTally
    /// nil: it belongs to none.
    public let trace: TraceHeaders?
    /// Asked for each push.
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

    /// The same job for some of its recipients, by their index.
    package func limited(to recipients: [Int]) -> RoutedJob {
        RoutedJob(
            job: job.limited(to: recipients), environment: environment, credential: credential, lane: lane,
            attempt: attempt, redelivered: redelivered, ledgerID: ledgerID, traits: traits,
            tally: tally, trace: trace)
    }
}
