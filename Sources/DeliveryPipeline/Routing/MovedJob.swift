/// A job that has waited in this worker and is being moved to another of the workers' queues.
final class MovedJob: OpenJob {
    let waiting: WaitingJob

    init(_ waiting: WaitingJob) {
        self.waiting = waiting
        super.init(waiting.inbound)
    }
}
