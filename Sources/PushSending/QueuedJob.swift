package import PushModel

/// A job in a pool, or the part of a job that belongs to the pool. Subclasses add the data that the job's pushes share.
// why: unchecked because its mutable state is used only on the event loop of the job's pool; open because subclasses
// are in other modules.
open class QueuedJob: @unchecked Sendable {
    package final let routed: RoutedJob
    package final let sink: any OutcomeSink
    /// The indices of the recipients that belong to this pool, or `nil` if all recipients of the job belong to it.
    package final let recipients: [UInt32]?
    /// The topic, which the provider may refuse separately from the credential, or `nil` if the output has no topics.
    package final let topic: String?
    // Exclusivity checks are off, here and below, because they would slow down this hot path.
    /// The health of the job's topic or app, or `nil` before the job enters its pool.
    @exclusivity(unchecked) package final var health: ScopeHealth?
    /// The counters of bad device tokens of the job's app. The value is `nil` for a broadcast, before the job enters
    /// its pool, and if the output counts no bad tokens.
    @exclusivity(unchecked) package final var tokens: AppTokens?
    package final var isCancelled = false
    /// A random number from 0 up to, but not including, 1. It selects the delay of the job's pushes if they are held.
    package final lazy var holdRandom = Double.random(in: 0..<1)

    package init(
        _ routed: RoutedJob, sink: any OutcomeSink, recipients: [UInt32]? = nil, topic: String? = nil
    ) {
        self.routed = routed
        self.sink = sink
        self.recipients = recipients
        self.topic = topic
    }

    /// The number of recipients that belong to this pool.
    package final var count: Int {
        if let recipients { recipients.count } else { routed.job.recipients.count }
    }

    /// Returns the index of a recipient in the whole job.
    ///
    /// - Parameter place: The recipient's position among those of this pool, from 0 up to, but not including,
    ///   ``count``.
    package final func recipient(at place: Int) -> Int {
        if let recipients { Int(recipients[place]) } else { place }
    }

    /// Returns this job with the type that all jobs of its pool have.
    // why: unsafe, because a checked cast would cost time for each push. A pool accepts jobs of one type only. A debug
    // build checks the type.
    package final func typed<Job: QueuedJob>(as type: Job.Type = Job.self) -> Job { unsafeDowncast(self, to: type) }
}
