/// The receiver of the outcomes that an output reports.
public protocol OutcomeSink: AnyObject, Sendable {
    /// Takes a batch of outcomes for one or several jobs. The call does not block and is allowed on any thread.
    func report(_ outcomes: [Outcome])
}
