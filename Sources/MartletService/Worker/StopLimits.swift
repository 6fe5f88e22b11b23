package import ServiceLifecycle

/// The time limits of a shutdown. With the default drain timeout, their sum is below external limits such as
/// `TimeoutStopSec` of the systemd unit.
package struct StopLimits: Sendable {
    /// The time for pushes on the wire.
    package var drain: Duration
    /// The time for closing connections and everything else, after the drain.
    package var closing: Duration = .seconds(30)
    /// The time for tasks that were cancelled after ``closing``. When it is over, the process ends itself.
    package var cancellation: Duration = .seconds(10)

    package init(drain: Duration) {
        self.drain = drain
    }

    package func bound(_ group: inout ServiceGroupConfiguration) {
        group.maximumGracefulShutdownDuration = drain + closing
        group.maximumCancellationDuration = cancellation
    }
}
