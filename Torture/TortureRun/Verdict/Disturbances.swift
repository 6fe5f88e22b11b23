/// The faults of a run, with queries about their possible effects.
struct Disturbances {
    /// The time after its end for which a fault may have effects, in milliseconds. The broker detects a lost consumer
    /// by missed heartbeats.
    private static let aftermath: Int64 = 15_000
    /// The time after a fault for which a worker may still be reconnecting to the database, in milliseconds.
    private static let databaseAftermath: Int64 = 5_000
    /// The time in which all workers learn of a cancellation, in milliseconds (docs/publish.md).
    static let cancellationTakes: Int64 = 5_000

    /// The times at which a rejected event is offered, in milliseconds after its first publication (docs/operate.md).
    private static let offersAgain: [Int64] = [0, 1_000, 6_000, 36_000, 156_000, 1_056_000]
    /// The number of messages that a broker node may have on their way between two queues, and may pass on twice.
    private static let handedOn = 32

    private let redelivering: [FaultRecord]
    private let refusing: [FaultRecord]
    private let blinding: [FaultRecord]
    private let delaying: [FaultRecord]
    /// The periods in which a worker may not learn of changes in the database, ordered by start.
    private let deafening: [(start: Int64, end: Int64)]
    /// The faults after which a new leader of a delay queue may dead-letter messages a second time.
    private let copying: [FaultRecord]
    let duplicateBound: Int
    let killsWhileSplitting: Int
    private let workers: Int
    let isLockedForLong: Bool

    init(_ faults: [FaultRecord], limits: Limits) {
        workers = limits.workers
        killsWhileSplitting = faults.count { if case .killWhileSplitting = $0.fault { true } else { false } }
        isLockedForLong = faults.contains { $0.fault == .lockTables }
        redelivering = faults.filter { $0.fault.redeliversJobs(workers: limits.workers) > 0 }
        copying = faults.filter(\.fault.affectsNode)
        refusing = faults.filter { $0.fault == .fullQueue }
        blinding = faults.filter { $0.fault.blindsPushes(workers: limits.workers) > 0 }
        delaying = faults.filter(\.fault.holdsUpRequests)
        deafening = faults.filter(\.fault.keepsNewsFromWorkers)
            .map { ($0.start, $0.end + Self.databaseAftermath) }.sorted { $0.0 < $1.0 }
        duplicateBound = faults.reduce(0) { sum, record in
            // A redelivered job is repeated from its beginning, and a job of thousands by its chunks. Pushes on the
            // wire are sent again.
            sum + record.fault.redeliversJobs(workers: limits.workers)
                * (limits.maximumInFlight + limits.mostRecipients)
                + (record.fault.affectsBroker ? Self.handedOn * limits.mostRecipients : 0)
                + record.fault.blindsPushes(workers: limits.workers) * (limits.maximumInFlight + limits.mostRecipients)
        }
    }

    /// Returns whether a job that was open between these times may have been redelivered.
    func mayRedeliver(from start: Int64, to end: Int64) -> Bool { Self.any(redelivering, from: start, to: end) }

    /// The maximum number of messages that a cluster may have dead-lettered from delay queues twice in the whole run.
    /// Another worker than the first cannot recognize such a copy (docs/design.md).
    var mostCopies: Int { copying.count * Self.handedOn }

    /// Returns whether a cluster may have dead-lettered a message twice that was published and ended at these times.
    func mayCopy(from start: Int64, to end: Int64) -> Bool { Self.any(copying, from: start, to: end) }

    /// Returns whether workers may have lost track of pushes on the wire to a service.
    func mayBlind(_ output: OutputKind, from start: Int64, to end: Int64) -> Bool {
        Self.any(blinding.filter { $0.fault.concerns(output) }, from: start, to: end)
    }

    /// Returns whether a request that was sent before `start` may have arrived at `end`.
    func mayHoldUp(_ output: OutputKind, from start: Int64, to end: Int64) -> Bool {
        delaying.contains { $0.fault.concerns(output) && $0.start <= end && $0.end >= start }
    }

    /// Returns how often a full queue may have rejected an event that was first published at this time.
    func refusals(of first: Int64) -> Int {
        Self.offersAgain.prefix { offset in
            // An offer may be late by a second or two.
            refusing.contains { $0.start <= first + offset + 2_000 && $0.end + 1_000 >= first + offset }
        }.count
    }

    /// Returns how often jobs that were open between these times may have been redelivered.
    func redeliveries(from start: Int64, to end: Int64) -> Int {
        redelivering.reduce(0) { sum, record in
            guard record.start <= end, record.end + Self.aftermath >= start else { return sum }
            // The workers end one after another, and one may get the jobs of another.
            if case .killWhileSplitting = record.fault { return sum + workers }
            return sum + 1
        }
    }

    /// Returns whether a harmless job may have been considered the cause of crashes, because many workers ended while
    /// they held it. This takes five deliveries from its lane and three from the suspects.
    func mayCondemn(_ job: JobRecord?, by end: Int64) -> Bool {
        job.map { redeliveries(from: $0.published, to: end) >= 8 } ?? false
    }

    /// Returns the number of faults with possible redeliveries in this period. Delayed effects are not included.
    func disturbances(from start: Int64, to end: Int64) -> Int {
        redelivering.count { $0.start <= end && $0.end >= start }
    }

    /// Returns whether a worker may have been lost by chance. Workers that are killed deliberately while a job is split
    /// do not count.
    func mayLoseWorker(from start: Int64, to end: Int64) -> Bool {
        redelivering.contains {
            if case .killWhileSplitting = $0.fault { return false }
            return $0.start <= end && $0.end >= start
        }
    }

    private static func any(_ faults: [FaultRecord], from start: Int64, to end: Int64) -> Bool {
        faults.contains { $0.start <= end && $0.end + aftermath >= start }
    }

    /// Returns whether every worker must have learned of a cancellation by `time`, because the database was available
    /// long enough.
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
