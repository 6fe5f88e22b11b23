/// A way to deliver pushes, at work. What is known of it before is its ``OutputPlugin``.
///
/// The pipeline owns jobs, retries and acknowledgements; an output turns each recipient into one outcome.
/// It never blocks its caller and never decides to drop anything. docs/output.md shows how to write one.
public protocol Output: AnyObject, Sendable {
    /// Takes a job and reports exactly one outcome for each of its recipients, in any order and in batches
    /// as large as come naturally, from any thread.
    ///
    /// Called from the pipeline's own queue: it must return soon and must not wait. How much is in flight is
    /// bounded by the pipeline, so the output may keep what it cannot send yet.
    func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink)

    /// Says which credentials are in use from now on, so that connections of others can be closed once
    /// its last push is answered. A job of such another is finished, or reported as ``Outcome/Verdict/returned``. A
    /// credential that was never named is of a snapshot to come, and good.
    func credentialsChanged(to credentials: Set<Credential.ID>)

    /// Sends no more of some jobs that were handed in: their recipients that are not on the wire, and those that come
    /// back from it unprocessed, are reported as ``Outcome/Verdict/failed`` with the reason ``Outcome/cancelled``.
    ///
    /// Called from the pipeline's own queue, too.
    ///
    /// - Parameter isCancelled: by the id of a job; jobs may share one.
    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool)

    /// Begins nothing any more: what is not on the wire is reported as ``Outcome/Verdict/returned``, what is, is
    /// awaited. Jobs that still come in are returned too.
    func stopSending()

    /// Closes what is open once every outcome has been reported, and returns when that is done. In a task that is
    /// cancelled it closes at once: nobody takes an outcome any more, so what is on the wire is given up.
    func shutDown() async
}
