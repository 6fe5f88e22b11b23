package import ServiceLifecycle

/// How long a stop may take, whatever hangs. All three together are less than what stops a worker from outside, such as
/// `TimeoutStopSec` of the unit.
package struct StopLimits: Sendable {
    /// For what is on the wire.
    package var drain: Duration
    /// For connections and all else, after the drain.
    package var closing: Duration = .seconds(30)
    /// For tasks that were cancelled then. Past it the process is ended.
    package var cancellation: Duration = .seconds(10)

    package init(drain: Duration) {
        self.drain = drain
    }

    package func bound(_ group: inout ServiceGroupConfiguration) {
        group.maximumGracefulShutdownDuration = drain + closing
        group.maximumCancellationDuration = cancellation
    }
}
