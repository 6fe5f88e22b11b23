import AMQPClient
package import PushModel

/// A job that has been decoded and waits for room.
package struct WaitingJob: Sendable {
    package var inbound: InboundJob
    package let job: Job
    let appLoad: AppLoad
    let size: FairQueue.Size
    let chunkSize: Int
    /// None of it would be sent now, so it need not wait for its app's pace.
    let isFree: Bool

    let isToBeSplit: Bool
    /// It has paid for its own rate, and gets that back if it leaves without having been started.
    var hasPaid = false

    /// - Parameters:
    ///   - chunkSize: most recipients that are sent as one job; one of more counts as one of so many.
    ///   - isOver: it is cancelled, too late, or too early.
    package init(inbound: InboundJob, job: Job, appLoad: AppLoad, chunkSize: Int = .max, isOver: Bool = false) {
        self.chunkSize = chunkSize
        isToBeSplit = !inbound.isChunk && job.recipients.count > chunkSize
        isFree = isOver || isToBeSplit
        self.inbound = inbound
        self.job = job
        self.appLoad = appLoad
        size = .init(jobs: 1, recipients: min(job.recipients.count, chunkSize), bytes: inbound.delivery.size)
    }
}
