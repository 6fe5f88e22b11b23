import AMQPClient
package import PushModel

/// A job that was decoded and waits for capacity.
package struct WaitingJob: Sendable {
    package var inbound: InboundJob
    package let job: Job
    let appLoad: AppLoad
    let size: FairQueue.Size
    let chunkSize: Int
    /// Whether the job is exempt from the pause and the rate limit of its app, because none of its recipients would be
    /// sent now.
    let isFree: Bool

    let isToBeSplit: Bool
    /// Whether the job is at least as large as ``PipelineConfiguration/largeJobBytes``.
    let isLarge: Bool
    /// Whether the job was charged to its own rate limit. The charge is refunded if the job leaves this worker
    /// unstarted.
    var hasPaid = false

    /// Creates a waiting job.
    ///
    /// - Parameters:
    ///   - chunkSize: the maximum number of recipients that are sent as one job. A larger job is counted with this
    ///     number.
    ///   - isOver: whether no push of the job would be sent now, for example because the job is cancelled or expired.
    package init(
        inbound: InboundJob, job: Job, appLoad: AppLoad, chunkSize: Int = .max, isOver: Bool = false,
        isLarge: Bool = false
    ) {
        (self.chunkSize, self.isLarge) = (chunkSize, isLarge)
        isToBeSplit = !inbound.isChunk && job.recipients.count > chunkSize
        isFree = isOver || isToBeSplit
        self.inbound = inbound
        self.job = job
        self.appLoad = appLoad
        size = .init(jobs: 1, recipients: min(job.recipients.count, chunkSize), bytes: inbound.delivery.size)
    }
}
