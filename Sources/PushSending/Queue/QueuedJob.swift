package import PushModel

/// A job in an output that sends a separate push to each recipient. Subclasses add the data that the job's pushes
/// share.
// why: unchecked because its mutable state is used only on the event loop of the job's pool; open because subclasses
// are in other modules.
open class QueuedJob: @unchecked Sendable {
    package final let routed: RoutedJob
    package final let sink: any OutcomeSink
    /// The topic, which the provider may refuse separately from the credential, or `nil` if the output has no topics.
    package final let topic: String?
    // Exclusivity checks are off on this hot path, here and below, because only one thread uses this object.
    /// The health of the job's topic or app, or `nil` before the job enters its pool.
    @exclusivity(unchecked) package final var health: ScopeHealth?
    /// The counters of bad device tokens of the job's app, or `nil` for a broadcast and before the job enters its pool.
    @exclusivity(unchecked) package final var tokens: AppTokens?
    package final var isCancelled = false
    /// A random number from 0 up to, but not including, 1. It selects the delay of the job's pushes if they are held.
    package final lazy var holdRandom = Double.random(in: 0..<1)

    package init(_ routed: RoutedJob, sink: any OutcomeSink, topic: String? = nil) {
        self.routed = routed
        self.sink = sink
        self.topic = topic
    }
}
