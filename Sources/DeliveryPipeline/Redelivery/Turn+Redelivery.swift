import AMQPClient

/// The handling of redeliveries after a lost connection.
extension Turn {
    /// Handles the loss of these queues' connection. The broker redelivers every open delivery of them.
    mutating func loseConnection(of queues: [JobQueue]) {
        for job in outbox.ledger.openDeliveries where !job.isOrphan && queues.contains(job.inbound.source) {
            orphans.add(job, now: now)
        }
    }

    /// Continues the job that this worker already has at work for the message of a delivery. Acknowledges the delivery
    /// if that job has ended.
    ///
    /// - Returns: `false` if there is no such job, and the delivery is handled like any other.
    mutating func takeUp(_ inbound: InboundJob, _ names: PipelineNames) -> Bool {
        switch orphans.match(inbound, names, now: now) {
        case .atWork(let job):
            (job.inbound.tag, job.inbound.deliveredAt) = (inbound.tag, inbound.deliveredAt)
            job.inbound.earlierDeliveries = inbound.earlierDeliveries
            // The budget already holds the same bytes.
            lost(inbound)
        case .ended:
            let job = open(inbound)
            met(outbox.ledger.rest(of: job.entry))
        case nil: return false
        }
        counts.jobsResumed += 1
        return true
    }
}
