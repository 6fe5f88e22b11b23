/// A waiting job that this worker moves to another queue instead of starting it.
final class MovedJob: OpenJob {
    let waiting: WaitingJob

    init(_ waiting: WaitingJob) {
        self.waiting = waiting
        super.init(waiting.inbound)
    }
}
