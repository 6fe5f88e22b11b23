/// The faults of a run, asked what they may have done.
struct Disturbances {
    /// How long after its end a fault may still show: a broker finds out by missed heartbeats that a consumer is gone.
    private static let aftermath: Int64 = 15_000
    /// How long after its end a worker may still be looking for its database.
    private static let databaseAftermath: Int64 = 5_000
    /// In which all workers learn of a cancellation (docs/publish.md).
    static let cancellationTakes: Int64 = 5_000

    private let redelivering: [FaultRecord]
    private let blinding: [FaultRecord]
    private let delaying: [FaultRecord]
    /// During which a worker may not learn what is new in the database, in order of their starts.
    private let deafening: [(start: Int64, end: Int64)]
    let duplicateBound: Int

    init(_ faults: [FaultRecord], limits: Limits) {
        redelivering = faults.filter { $0.fault.redeliversJobs(workers: limits.workers) > 0 }
        blinding = faults.filter { $0.fault.blindsPushes(workers: limits.workers) > 0 }
        delaying = faults.filter(\.fault.holdsUpRequests)
        deafening = faults.filter(\.fault.keepsNewsFromWorkers)
            .map { ($0.start, $0.end + Self.databaseAftermath) }.sorted { $0.0 < $1.0 }
        duplicateBound = faults.reduce(0) { sum, record in
            // A job that comes back is repeated from its beginning; what is on the wire is sent again.
            sum + record.fault.redeliversJobs(workers: limits.workers) * limits.openJobs * limits.mostRecipients
                + record.fault.blindsPushes(workers: limits.workers) * (limits.maximumInFlight + limits.mostRecipients)
        }
    }

    /// Whether a job that was open between these times may have come back to the broker.
    func mayRedeliver(from start: Int64, to end: Int64) -> Bool { Self.any(redelivering, from: start, to: end) }

    /// Whether it may have been lost sight of what was on the wire to APNs.
    func mayBlind(from start: Int64, to end: Int64) -> Bool { Self.any(blinding, from: start, to: end) }

    /// Whether a request that was made before the first time may have come in at the second one.
    func mayHoldUp(from start: Int64, to end: Int64) -> Bool {
        delaying.contains { $0.start <= end && $0.end >= start }
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
