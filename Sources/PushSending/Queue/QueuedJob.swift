package import PushModel

/// A job on its way through an output that sends push by push. A subclass adds what its pushes share.
// why: unchecked since what changes is set and read on the event loop of the job's pool only; and open, since subclasses
// are in other modules.
open class QueuedJob: @unchecked Sendable {
    package final let routed: RoutedJob
    package final let sink: any OutcomeSink
    /// What may be refused to it alone, beside its credential, by name; nil: nothing.
    package final let topic: String?
    // One owner, one thread: nothing for exclusivity checks to find on the hot path, here and below.
    /// Set when it enters its pool.
    @exclusivity(unchecked) package final var health: ScopeHealth?
    /// As above. nil for a broadcast.
    @exclusivity(unchecked) package final var tokens: AppTokens?
    package final var isCancelled = false
    /// A number from 0 up to 1 that selects how long the job's pushes are held.
    package final lazy var holdRandom = Double.random(in: 0..<1)

    package init(_ routed: RoutedJob, sink: any OutcomeSink, topic: String? = nil) {
        self.routed = routed
        self.sink = sink
        self.topic = topic
    }
}
