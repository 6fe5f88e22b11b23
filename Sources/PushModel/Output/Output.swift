/// A way to deliver pushes: Apple's push service, or another.
///
/// The pipeline owns jobs, retries and acknowledgements; an output turns each recipient into one outcome.
/// It never blocks its caller and never decides to drop anything. docs/output.md shows how to write one.
public protocol Output: AnyObject, Sendable {
    /// What a job's `output` field calls it, and the first word of its events' routing keys.
    var name: String { get }

    /// Whether routing must find a credential before a job is handed in.
    var needsCredential: Bool { get }

    /// The topic a credential must be good for to send this job; for routing.
    func topic(for job: Job) -> String

    /// Whether certificates can't be used to send this job; for routing.
    func needsToken(for job: Job) -> Bool

    /// Takes a job and reports exactly one outcome for each of its recipients, in any order and in batches
    /// as large as come naturally, from any thread.
    ///
    /// Called from the pipeline's own queue: it must return soon and must not wait. How much is in flight is
    /// bounded by the pipeline, so the output may keep what it cannot send yet.
    func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink)

    /// Says which credentials are in use from now on, so that what belongs to others can be let go once
    /// its last push is answered. A job of such another is finished, or comes back as ``Outcome/Verdict/returned``. A
    /// credential that was never named is of a snapshot to come, and good.
    func credentialsChanged(to credentials: Set<Credential.ID>)

    /// Sends no more of some jobs that were handed in: their recipients that are not on the wire, and those that come back
    /// from it unprocessed, are reported as ``Outcome/Verdict/failed`` with the reason ``Outcome/cancelled``.
    ///
    /// Called from the pipeline's own queue, too.
    ///
    /// - Parameter isCancelled: by the id of a job; jobs may share one.
    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool)

    /// Begins nothing any more: what is not on the wire is reported as ``Outcome/Verdict/returned``, what is, is
    /// awaited. Jobs that still come in are returned too.
    func stopSending()

    /// Closes what is open once every outcome has been reported, and returns when that is done.
    func shutDown() async
}

extension Output {
    /// The job's own topic, else its app.
    public func topic(for job: Job) -> String { job.topic ?? job.app }

    public func needsToken(for job: Job) -> Bool { false }
}

/// Where an output reports to.
public protocol OutcomeSink: AnyObject, Sendable {
    /// Takes a batch of outcomes, of one job or of many, from any thread, without blocking.
    func report(_ outcomes: [Outcome])
}
