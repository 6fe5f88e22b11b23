package import ServiceLifecycle

/// The time limits of a shutdown. With the default drain timeout, their sum is below external limits such as
/// `TimeoutStopSec` of the systemd unit.
package struct StopLimits: Sendable {
    /// The maximum time for pushes on the wire to finish and for their jobs to be settled.
    package var drain: Duration
    /// The maximum time after the drain for closing connections and for all other services.
    package var closing: Duration = .seconds(30)
    /// The maximum time for tasks to end after they are cancelled at the end of ``closing``. The process then exits.
    package var cancellation: Duration = .seconds(10)

    package init(drain: Duration) {
        self.drain = drain
    }

    package func bound(_ group: inout ServiceGroupConfiguration) {
        group.maximumGracefulShutdownDuration = drain + closing
        group.maximumCancellationDuration = cancellation
    }
}
