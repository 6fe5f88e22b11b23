/// The faults of a run, with queries about their possible effects. All times are in milliseconds since 1970.
struct Disturbances {
    /// The time after a fault during which it may still have effects, in milliseconds. For example, the broker detects
    /// a lost consumer only by missing heartbeats.
    private static let aftermath: Int64 = 15_000
    /// The time after a fault during which a worker may still be reconnecting to the database, in milliseconds.
    private static let databaseAftermath: Int64 = 5_000
    /// The maximum time from the arrival of a job's last event to the job's acknowledgement, in milliseconds.
    private static let acknowledging: Int64 = 1_000
    /// The maximum time from the arrival of a job's last event to the acknowledgement if a full queue rejects the event,
    /// in milliseconds.
    private static let acknowledgingRefused: Int64 = 3_000
    /// The time within which all workers learn of a cancellation, in milliseconds (docs/publish.md).
    static let cancellationTakes: Int64 = 5_000

    /// The times at which a worker publishes a rejected event, in milliseconds after its first publication
    /// (docs/runbook.md).
    private static let offersAgain: [Int64] = [0, 1_000, 6_000, 36_000, 156_000, 1_056_000]

    /// The faults that may cause redeliveries of jobs.
    private let redelivering: [FaultRecord]
    /// The faults in which a full queue rejects result events.
    private let refusing: [FaultRecord]
    /// The faults that may make workers lose track of pushes on the wire.
    private let blinding: [FaultRecord]
    /// The faults that may hold back requests.
    private let delaying: [FaultRecord]
    /// The periods in which a worker may miss changes in the database, ordered by their start.
    private let deafening: [(start: Int64, end: Int64)]
    /// The faults after which a new leader of a delay queue may dead-letter messages a second time.
    private let copying: [FaultRecord]
    /// The losses of jobs by workers, in the order of the faults.
    let losses: [JobLoss]
    let killsWhileSplitting: Int
    private let workers: Int
    /// Whether device tokens and claims were locked for a long time.
    let isLockedForLong: Bool

    init(_ faults: [FaultRecord], limits: Limits) {
        workers = limits.workers
        killsWhileSplitting = faults.count { if case .killWhileSplitting = $0.fault { true } else { false } }
        isLockedForLong = faults.contains { $0.fault == .lockTables }
        redelivering = faults.filter { !$0.fault.workersLosingJobs(of: limits.workers).isEmpty }
        losses = redelivering.map { JobLoss($0, limits) }
        copying = faults.filter(\.fault.affectsNode)
        refusing = faults.filter { $0.fault == .fullQueue }
        blinding = faults.filter(\.fault.blindsPushes)
        delaying = faults.filter(\.fault.holdsUpRequests)
        deafening = faults.filter(\.fault.keepsNewsFromWorkers)
            .map { ($0.start, $0.end + Self.databaseAftermath) }.sorted { $0.0 < $1.0 }
    }

    /// Returns whether a job that was open between two times may have been redelivered.
    func mayRedeliver(from start: Int64, to end: Int64) -> Bool { Self.any(redelivering, from: start, to: end) }

    /// Returns the causes of a redelivery of a job, as indices of ``losses``.
    func causes(of life: JobLife) -> JobLife.Causes {
        // A worker publishes an event that a full queue rejects again after a second, and then moves it. Only then does
        // it acknowledge the job.
        let isRefused = refusing.contains { $0.start <= life.end && $0.end + 1_000 >= life.end }
        let end = life.end + (isRefused ? Self.acknowledgingRefused : Self.acknowledging)
        var causes = JobLife.Causes()
        for (index, loss) in losses.enumerated() where loss.times.overlaps(life.start...end) {
            let isSeen = life.workers.map { !loss.workers.isDisjoint(with: $0) } ?? true
            if isSeen { causes.seen.append(index) } else { causes.unseen.append(index) }
        }
        return causes
    }

    /// Returns whether an event that was published and arrived again between two times may have been rejected by a full
    /// queue, or whether its confirm or its delivery to the consumer may have been lost.
    ///
    /// - Parameter worker: the number of the worker that published the event, or `nil` for any worker.
    func mayRepeatEvent(of worker: Int?, from start: Int64, to end: Int64) -> Bool {
        let time = min(start, end)...end
        if refusing.contains(where: { $0.start <= time.upperBound && $0.end >= time.lowerBound }) { return true }
        return losses.contains { loss in
            loss.times.overlaps(time) && (worker.map { loss.fault.fault.disconnects(worker: $0) } ?? true)
        }
    }

    /// The maximum number of messages that a cluster may have dead-lettered from delay queues twice in the whole run.
    /// Only the worker that processed the first message can recognize the copy (docs/design.md).
    var mostCopies: Int { copying.count * JobLoss.handedOn }

    /// Returns whether a cluster may have dead-lettered a message twice. The times are the job's publication and its
    /// last observation.
    func mayCopy(from start: Int64, to end: Int64) -> Bool { Self.any(copying, from: start, to: end) }

    /// Returns whether workers may have lost track of pushes of an output that were on the wire between two times.
    func mayBlind(_ output: OutputKind, from start: Int64, to end: Int64) -> Bool {
        Self.any(blinding.filter { $0.fault.concerns(output) }, from: start, to: end)
    }

    /// Returns whether a request that was sent before `start` may have arrived as late as `end`.
    func mayHoldUp(_ output: OutputKind, from start: Int64, to end: Int64) -> Bool {
        delaying.contains { $0.fault.concerns(output) && $0.start <= end && $0.end >= start }
    }

    /// Returns how many times a full queue may have rejected an event, given the time of its first publication.
    func refusals(of first: Int64) -> Int {
        Self.offersAgain.prefix { offset in
            // A worker may publish the event a second or two late.
            refusing.contains { $0.start <= first + offset + 2_000 && $0.end + 1_000 >= first + offset }
        }.count
    }

    /// Returns how many times a job that was open between two times may have been redelivered.
    func redeliveries(from start: Int64, to end: Int64) -> Int {
        redelivering.reduce(0) { sum, record in
            guard record.start <= end, record.end + Self.aftermath >= start else { return sum }
            // The workers end one after another, and a worker that ends later may get the jobs of one that ended
            // earlier.
            if case .killWhileSplitting = record.fault { return sum + workers }
            return sum + 1
        }
    }

    /// Returns whether workers may wrongly conclude that a job crashes workers, because many of them ended while they
    /// held it. This requires five deliveries from the job's lane and three from the suspects queue.
    func mayCondemn(_ job: JobRecord?, by end: Int64) -> Bool {
        job.map { redeliveries(from: $0.published, to: end) >= 8 } ?? false
    }

    /// Returns the number of faults between two times that may cause redeliveries. Earlier faults are not included,
    /// even if they may still have effects.
    func disturbances(from start: Int64, to end: Int64) -> Int {
        redelivering.count { $0.start <= end && $0.end >= start }
    }

    /// Returns whether a worker may have been lost by chance between two times. Workers that are killed deliberately
    /// while a job is split do not count.
    func mayLoseWorker(from start: Int64, to end: Int64) -> Bool {
        redelivering.contains {
            if case .killWhileSplitting = $0.fault { return false }
            return $0.start <= end && $0.end >= start
        }
    }

    private static func any(_ faults: [FaultRecord], from start: Int64, to end: Int64) -> Bool {
        faults.contains { $0.start <= end && $0.end + aftermath >= start }
    }

    /// Returns whether every worker must have learned of a change by the given time. Workers learn of a change while
    /// the database is available for long enough.
    func isKnown(since cancelled: Int64, at time: Int64) -> Bool {
        var quiet = cancelled
        for (start, end) in deafening where end > quiet {
            if min(start, time) - quiet >= Self.cancellationTakes { return true }
            quiet = end
        }
        return time - quiet >= Self.cancellationTakes
    }
}

extension Fault {
    fileprivate func concerns(_ output: OutputKind) -> Bool { self.output == nil || self.output == output }
}
