/// How long things may take. All waits are bounded by these; none is as long when all is well.
public struct ConformanceLimits: Sendable {
    /// An outcome, or whatever else is waited for: more than the output's own time-outs together.
    public var patience: Duration
    /// A call that must not wait. Longer than on an idle machine: tests run side by side.
    public var call: Duration
    /// How far apart the output's clock and that of the suite may be.
    public var clockDifference: Duration

    public init(
        patience: Duration = .seconds(60), call: Duration = .seconds(2), clockDifference: Duration = .seconds(5)
    ) {
        self.patience = patience
        self.call = call
        self.clockDifference = clockDifference
    }
}
