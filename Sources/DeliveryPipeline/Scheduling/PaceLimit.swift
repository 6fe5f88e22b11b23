import PushModel

/// How long a job waits for a rate at most, so that what keeps it from being sent twice is remembered for longer. A value.
struct PaceLimit {
    /// A chunk's name is remembered for a day more: ``Claim/chunkSeconds``.
    static let longest = 6 * 86_400

    private let seconds: Int

    /// What is to be sent at most once waits for half of the time in which its id is remembered, so that a copy that comes as
    /// late, and waits as long, is known.
    init(_ job: Job, _ limits: PipelineLimits) {
        seconds = min(Self.longest, job.atMostOnce ? limits.atMostOnceWindow / 2 : .max)
    }

    /// - Parameter rate: pushes a second that all of it may have, of a job that is to be split.
    func refusal(of job: Job, at rate: Int) -> JobRejection? {
        let count = job.recipients.count
        // A fleet may be slower than the rate, and the last of them would be refused when all others are sent.
        let most = seconds / 5 * 4
        guard count > most * rate else { return nil }
        return job.rejected(
            "rate",
            "of \(rate) a second, its own or its app's: \(count) recipients take more than \(most) seconds")
    }

    /// Why it can't wait any longer, counted without the time in which nobody had it.
    func refusal(of job: WaitingJob, until slot: Pacer.Slot, now: Timestamp) -> JobRejection? {
        let ahead = (slot.due.milliseconds - now.milliseconds) / 1_000
        guard Int64(job.inbound.paced) + ahead > Int64(seconds) else { return nil }
        return job.job.rejected(
            "rate",
            "of \(slot.rate) a second, its own or its app's: its turn comes after more than the \(seconds) seconds that a job waits "
                + "for it")
    }
}
