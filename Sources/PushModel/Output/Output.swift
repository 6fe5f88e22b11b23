/// A running output, which delivers pushes to one kind of service. An ``OutputPlugin`` creates it.
///
/// The pipeline owns jobs, retries and acknowledgements. An output turns each recipient into one outcome. It never
/// blocks its caller and never drops a recipient. docs/output.md shows how to write one.
public protocol Output: AnyObject, Sendable {
    /// Takes a job and reports exactly one outcome for each of its recipients. Outcomes may be reported in any order,
    /// in batches of any size, and from any thread.
    ///
    /// The pipeline calls this method on its own queue, so the call must return quickly and must not wait. The pipeline
    /// limits how much is in flight, so the output may keep pushes that it cannot send yet.
    func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink)

    /// Sets the credentials that are in use. A credential that is no longer in the set is retired. Its jobs are
    /// finished or reported as ``Outcome/Verdict/returned``. Its connections close after their last answer.
    ///
    /// A job may also have a credential that has not been in any set yet. Such a credential is valid. It comes from a
    /// newer snapshot, and the set of that snapshot follows.
    func credentialsChanged(to credentials: Set<Credential.ID>)

    /// Stops sending cancelled jobs. Recipients whose push is not on the wire are reported as
    /// ``Outcome/Verdict/failed`` with the reason ``Outcome/cancelled``. The same applies to pushes that were on the
    /// wire, but that the provider did not process.
    ///
    /// The pipeline calls this method on its own queue.
    ///
    /// - Parameter isCancelled: a closure that returns whether the jobs with an id are cancelled. Several jobs may
    ///   share an id.
    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool)

    /// Stops sending. Pushes that are not on the wire are reported as ``Outcome/Verdict/returned``, including the
    /// pushes of jobs that arrive later. The output still reports the answers to pushes on the wire.
    func stopSending()

    /// Closes all connections once every outcome has been reported, and then returns. If the task is cancelled, the
    /// connections are closed at once. Pushes on the wire are then abandoned, because the pipeline takes no more
    /// outcomes.
    func shutDown() async
}
