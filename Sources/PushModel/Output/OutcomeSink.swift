/// Where an output reports to.
public protocol OutcomeSink: AnyObject, Sendable {
    /// Takes a batch of outcomes, of one job or of many, from any thread, without blocking.
    func report(_ outcomes: [Outcome])
}
