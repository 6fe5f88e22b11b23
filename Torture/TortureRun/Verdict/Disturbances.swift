/// The faults of a run, asked what they may have done.
struct Disturbances {
    /// How long after its end a fault may still show: a broker finds out by missed heartbeats that a consumer is gone.
    private static let aftermath: Int64 = 15_000

    private let redelivering: [FaultRecord]
    let duplicateBound: Int

    init(_ faults: [FaultRecord], limits: Limits) {
        redelivering = faults.filter { $0.fault.redeliversJobs(workers: limits.workers) > 0 }
        duplicateBound = faults.reduce(0) { sum, record in
            // A job that comes back is repeated from its beginning; what is on the wire is sent again.
            sum + record.fault.redeliversJobs(workers: limits.workers) * limits.openJobs * limits.mostRecipients
                + record.fault.blindsPushes(workers: limits.workers) * (limits.maximumInFlight + limits.mostRecipients)
        }
    }

    /// Whether a job that was open between these times may have come back to the broker.
    func mayRedeliver(from start: Int64, to end: Int64) -> Bool {
        redelivering.contains { $0.start <= end && $0.end + Self.aftermath >= start }
    }
}
