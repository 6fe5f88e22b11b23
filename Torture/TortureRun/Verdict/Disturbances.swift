/// The faults of a run, asked what they may have done.
struct Disturbances {
    /// How long after its end a fault may still show: a broker finds out by missed heartbeats that a consumer is gone.
    private static let aftermath: Int64 = 15_000
    /// How long after its end a worker may still be looking for its database.
    private static let databaseAftermath: Int64 = 5_000
    /// In which all workers learn of a cancellation (docs/publish.md).
    static let cancellationTakes: Int64 = 5_000

    /// Milliseconds after which an event is offered again that a queue has refused (docs/operate.md).
    private static let offersAgain: [Int64] = [0, 1_000, 6_000, 36_000, 156_000, 1_056_000]
    /// Messages that a node of the broker has on their way from one queue to another, and may hand on twice.
    private static let handedOn = 32

    private let redelivering: [FaultRecord]
    private let refusing: [FaultRecord]
    private let blinding: [FaultRecord]
    private let delaying: [FaultRecord]
    /// During which a worker may not learn what is new in the database, in order of their starts.
    private let deafening: [(start: Int64, end: Int64)]
    let duplicateBound: Int
    let killsWhileSplitting: Int
    private let workers: Int
    let isLockedForLong: Bool

    init(_ faults: [FaultRecord], limits: Limits) {
        workers = limits.workers
        killsWhileSplitting = faults.count { if case .killWhileSplitting = $0.fault { true } else { false } }
        isLockedForLong = faults.contains { $0.fault == .lockTables }
        redelivering = faults.filter { $0.fault.redeliversJobs(workers: limits.workers) > 0 }
        refusing = faults.filter { $0.fault == .fullQueue }
        blinding = faults.filter { $0.fault.blindsPushes(workers: limits.workers) > 0 }
        delaying = faults.filter(\.fault.holdsUpRequests)
        deafening = faults.filter(\.fault.keepsNewsFromWorkers)
            .map { ($0.start, $0.end + Self.databaseAftermath) }.sorted { $0.0 < $1.0 }
        duplicateBound = faults.reduce(0) { sum, record in
            // A job that comes back is repeated from its beginning, one of thousands by its chunks; what is on the wire is
            // sent again.
            sum + record.fault.redeliversJobs(workers: limits.workers)
                * (limits.maximumInFlight + limits.mostRecipients)
                + (record.fault.affectsBroker ? Self.handedOn * limits.mostRecipients : 0)
                + record.fault.blindsPushes(workers: limits.workers) * (limits.maximumInFlight + limits.mostRecipients)
        }
    }

    /// Whether a job that was open between these times may have come back to the broker.
    func mayRedeliver(from start: Int64, to end: Int64) -> Bool { Self.any(redelivering, from: start, to: end) }

    /// Whether it may have been lost sight of what was on the wire to a service.
    func mayBlind(_ output: OutputKind, from start: Int64, to end: Int64) -> Bool {
        Self.any(blinding.filter { $0.fault.concerns(output) }, from: start, to: end)
    }

    /// Whether a request that was made before the first time may have come in at the second one.
    func mayHoldUp(_ output: OutputKind, from start: Int64, to end: Int64) -> Bool {
        delaying.contains { $0.fault.concerns(output) && $0.start <= end && $0.end >= start }
    }

    /// How often an event that first came at this time may have been refused by a full queue.
    func refusals(of first: Int64) -> Int {
        Self.offersAgain.prefix { offset in
            // It may be late by a second or two.
            refusing.contains { $0.start <= first + offset + 2_000 && $0.end + 1_000 >= first + offset }
        }.count
    }

    /// How often jobs that were open between these times may have come back to the broker.
    func redeliveries(from start: Int64, to end: Int64) -> Int {
        redelivering.reduce(0) { sum, record in
            guard record.start <= end, record.end + Self.aftermath >= start else { return sum }
            // They go one after the other, and one may get what another had.
            if case .killWhileSplitting = record.fault { return sum + workers }
            return sum + 1
        }
    }

    /// Whether a job that ends nobody may have been in the hands of so many that were ended that it was taken for one that
    /// does: five deliveries from its lane, and three from the suspects.
    func mayCondemn(_ job: JobRecord?, by end: Int64) -> Bool {
        job.map { redeliveries(from: $0.published, to: end) >= 8 } ?? false
    }

    /// How often just then, and not as a late consequence.
    func disturbances(from start: Int64, to end: Int64) -> Int {
        redelivering.count { $0.start <= end && $0.end >= start }
    }

    /// Whether a worker may have been lost by chance. Those that are killed once a job has been split far enough don't count.
    func mayLoseWorker(from start: Int64, to end: Int64) -> Bool {
        redelivering.contains {
            if case .killWhileSplitting = $0.fault { return false }
            return $0.start <= end && $0.end >= start
        }
    }

    private static func any(_ faults: [FaultRecord], from start: Int64, to end: Int64) -> Bool {
        faults.contains { $0.start <= end && $0.end + aftermath >= start }
    }

    /// Whether every worker must have learnt of a cancellation by then: the database was there for long enough.
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
