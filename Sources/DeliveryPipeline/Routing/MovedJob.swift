/// One that has waited here, and is to wait in another of the workers' queues.
final class MovedJob: OpenJob {
    let waiting: WaitingJob

    init(_ waiting: WaitingJob) {
        self.waiting = waiting
        super.init(waiting.inbound)
    }
}
