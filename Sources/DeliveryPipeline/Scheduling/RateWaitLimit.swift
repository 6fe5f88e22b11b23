import PushModel

/// The maximum time that a job waits for a rate limit. The names of chunks and of `at_most_once` jobs are remembered
/// for longer. A value type without clock or I/O.
struct RateWaitLimit {
    /// The longest time that any job may wait for a rate limit, in seconds. The names of chunks are remembered for one
    /// day more than this (``Claim/chunkSeconds``).
    static let longest = 6 * 86_400

    private let seconds: Int

    /// Creates the limit of a job. An `at_most_once` job may wait for half of the time during which its id is
    /// remembered. If a duplicate arrives at the end of that wait and waits for the same time, it is still recognized.
    init(_ job: Job, _ limits: PipelineLimits) {
        seconds = min(Self.longest, job.atMostOnce ? limits.atMostOnceWindow / 2 : .max)
    }

    /// Returns a rejection if a job that must be split has too many recipients for its rate, or `nil` otherwise.
    ///
    /// - Parameter rate: the rate of the whole job, in pushes per second.
    func refusal(of job: Job, at rate: Int) -> JobRejection? {
        let count = job.recipients.count
        // The fleet may send slightly slower than the rate. Without this margin, the last chunks could be rejected
        // after all other chunks were sent.
        let most = seconds / 5 * 4
        guard count > most * rate else { return nil }
        return job.rejected(
            "rate",
            "is \(rate) a second, set by the job or its app: \(count) recipients take more than \(most) seconds")
    }

    /// Returns a rejection if a job has waited too long for the rate limit of its app, or `nil` otherwise.
    func refusal(of job: WaitingJob, at rate: Int, now: Timestamp) -> JobRejection? {
        guard let since = job.inbound.waitingSince, now.seconds - since.seconds > seconds else { return nil }
        return job.job.rejected(
            "rate", "is \(rate) a second, set by the job or its app: the job has waited longer than \(seconds) seconds")
    }

    /// Returns a rejection if a job would wait too long until its slot, or `nil` otherwise. Only planned delays count,
    /// not the time that the job spent in its lane.
    func refusal(of job: WaitingJob, until slot: RateLimiter.Slot, now: Timestamp) -> JobRejection? {
        let ahead = (slot.due.milliseconds - now.milliseconds) / 1_000
        guard Int64(job.inbound.paced) + ahead > Int64(seconds) else { return nil }
        return job.job.rejected(
            "rate",
            "is \(slot.rate) a second, set by the job or its app: the job would wait longer than \(seconds) seconds")
    }
}
