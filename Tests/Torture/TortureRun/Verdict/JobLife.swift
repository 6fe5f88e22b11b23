/// The life of a job: the time in which a lost delivery may cause duplicates, and the workers that had the job.
struct JobLife {
    /// The faults that may have caused a redelivery of a job, as indices of ``Disturbances/losses``.
    struct Causes: Hashable {
        /// The faults of workers that reported outcomes of the job.
        var seen: [Int] = []
        /// The faults of other workers. Such a worker may have moved the job to another queue.
        var unseen: [Int] = []

        var isEmpty: Bool { seen.isEmpty && unseen.isEmpty }
    }

    /// The time of publishing, in milliseconds since 1970.
    let start: Int64
    /// The time at which all recipients were settled for the first time, in milliseconds since 1970. A worker then
    /// acknowledges the job, and a later fault cannot cause a redelivery. The copies of a job that was published twice
    /// may be lost until their own end.
    let end: Int64
    /// The numbers of the workers that reported outcomes of the job, or `nil` if `sent` outcomes are not reported.
    let workers: Set<Int>?

    init(of job: JobRecord, _ histories: [History]) {
        start = job.published
        let last = job.hasCopies ? histories.map(\.end).max() : histories.compactMap(\.settled).max()
        end = max(start, last ?? start)
        let reported = Set(histories.lazy.flatMap(\.outcomes).map(\.worker))
        workers = job.traits.wantsProblemsOnly ? nil : Set(reported.compactMap(Self.number))
    }

    /// Returns the number in the name of a worker, such as `worker-2`.
    static func number(of worker: String) -> Int? { worker.split(separator: "-").last.flatMap { Int($0) } }
}

/// A fault that may cause workers to lose their open jobs.
struct JobLoss {
    /// The time within which a fault has ended and the broker has noticed it on a busy machine, in milliseconds.
    private static let noticing: Int64 = 2_000
    /// The maximum number of messages that a cluster node may be moving between two queues when it fails. They may be
    /// moved twice.
    static let handedOn = 32

    let fault: FaultRecord
    let workers: Set<Int>
    /// The time in which the workers may lose a job, in milliseconds since 1970.
    let times: ClosedRange<Int64>
    /// The maximum number of recipients that are sent to again.
    let mostRecipients: Int

    init(_ record: FaultRecord, _ limits: Limits) {
        fault = record
        workers = record.fault.workersLosingJobs(of: limits.workers)
        let end = record.fault.losesJobsAtOnce ? record.struck : max(record.struck, record.end)
        times = record.struck...end + Self.noticing
        // A worker has at most `maximum_in_flight` recipients without an outcome. Settled recipients are sent to again
        // only if other recipients of the same message have no outcome. Their number is estimated to be the same.
        mostRecipients =
            min(workers.count, limits.workers) * 2 * limits.maximumInFlight
            + (record.fault.affectsNode ? Self.handedOn * limits.mostRecipients : 0)
    }
}
