import AMQPClient
package import PushModel

/// A job that has been decoded and waits for room.
package struct WaitingJob: Sendable {
    package let inbound: InboundJob
    package let job: Job
    let appLoad: AppLoad
    let size: FairQueue.Size

    /// - Parameter chunkSize: most recipients that are sent as one job; one of more counts as one of so many.
    package init(inbound: InboundJob, job: Job, appLoad: AppLoad, chunkSize: Int = .max) {
        self.inbound = inbound
        self.job = job
        self.appLoad = appLoad
        size = .init(jobs: 1, recipients: min(job.recipients.count, chunkSize), bytes: inbound.delivery.size)
    }
}
