/// The time limits of the suite. They limit all waits. A conforming output rarely reaches them.
public struct ConformanceLimits: Sendable {
    /// The time limit for an outcome or another awaited event. It must exceed the sum of the output's own timeouts.
    public var patience: Duration
    /// The time limit for a call that must return at once. It allows for tests that run in parallel.
    public var call: Duration
    /// The maximum difference between the clocks of the output and the suite.
    public var clockDifference: Duration

    public init(
        patience: Duration = .seconds(60), call: Duration = .seconds(2), clockDifference: Duration = .seconds(5)
    ) {
        self.patience = patience
        self.call = call
        self.clockDifference = clockDifference
    }
}
