/// A running output, which delivers pushes to one kind of service. Its ``OutputPlugin`` describes it before it runs.
///
/// The pipeline owns jobs, retries and acknowledgements. An output turns each recipient into one outcome. It never
/// blocks its caller and never drops a recipient on its own decision. docs/output.md shows how to write one.
public protocol Output: AnyObject, Sendable {
    /// Takes a job and reports exactly one outcome for each of its recipients. Outcomes may be reported in any order,
    /// in batches of any size, and from any thread.
    ///
    /// The pipeline calls this on its own queue, so it must return quickly and must not wait. The pipeline limits how
    /// much is in flight, so the output may keep pushes that it cannot send yet.
    func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink)

    /// Sets the credentials that are in use from now on. The output closes the connections of other credentials once
    /// their last push is answered. Each job with one of those is finished or reported as ``Outcome/Verdict/returned``.
    /// A job may also have a credential that was in no set yet. That credential is valid and belongs to a snapshot that
    /// follows.
    func credentialsChanged(to credentials: Set<Credential.ID>)

    /// Stops sending cancelled jobs. Their recipients that are not on the wire, and those that return from it
    /// unprocessed, are reported as ``Outcome/Verdict/failed`` with the reason ``Outcome/cancelled``.
    ///
    /// The pipeline calls this on its own queue.
    ///
    /// - Parameter isCancelled: a closure that returns whether the jobs with an id are cancelled. Several jobs may
    ///   share an id.
    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool)

    /// Stops sending. Pushes that are not on the wire are reported as ``Outcome/Verdict/returned``, and answers to the
    /// others are awaited. Jobs that arrive later are returned too.
    func stopSending()

    /// Closes all connections once every outcome has been reported, and then returns. If the task is cancelled, it
    /// closes them at once. Pushes on the wire are then abandoned, because the pipeline takes no more outcomes.
    func shutDown() async
}
