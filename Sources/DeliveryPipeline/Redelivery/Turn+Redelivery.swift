import AMQPClient

/// What the broker delivers again because a connection was lost.
extension Turn {
    /// The connection of these queues is lost, and the broker delivers again what is open of them.
    mutating func loseConnection(of queues: [JobQueue]) {
        for job in outbox.ledger.openDeliveries where !job.isOrphan && queues.contains(job.inbound.queue) {
            orphans.add(job)
        }
    }

    /// Continues the job that this worker has at work under the message of a delivery, or acknowledges the delivery if that job
    /// has ended.
    ///
    /// - Returns: false if there is no such job, so that the delivery is like any other.
    mutating func takeUp(_ inbound: InboundJob) -> Bool {
        switch orphans.match(inbound.delivery, now: now) {
        case .atWork(let job):
            job.inbound.tag = inbound.tag
            // The same bytes are held already.
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
