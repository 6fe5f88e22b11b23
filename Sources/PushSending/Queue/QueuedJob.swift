package import PushModel

/// A job on its way through an output that sends push by push. A subclass adds what its pushes share.
// why: unchecked because its mutable state is used only on the event loop of the job's pool; open because subclasses
// are in other modules.
open class QueuedJob: @unchecked Sendable {
    package final let routed: RoutedJob
    package final let sink: any OutcomeSink
    /// The topic that the provider may refuse separately from the credential, or `nil` if there is none.
    package final let topic: String?
    // Exclusivity checks are off on this hot path, here and below, because only one thread uses this object.
    /// The health of the job's topic or app, set when the job enters its pool.
    @exclusivity(unchecked) package final var health: ScopeHealth?
    /// The device tokens of the job's app, set when the job enters its pool. `nil` for a broadcast.
    @exclusivity(unchecked) package final var tokens: AppTokens?
    package final var isCancelled = false
    /// A number from 0 up to, but not including, 1. It selects how long the job's pushes are held.
    package final lazy var holdRandom = Double.random(in: 0..<1)

    package init(_ routed: RoutedJob, sink: any OutcomeSink, topic: String? = nil) {
        self.routed = routed
        self.sink = sink
        self.topic = topic
    }
}
