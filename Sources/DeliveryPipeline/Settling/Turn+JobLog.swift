import AMQPClient
import Foundations
import Logging
import PushModel
import Traces

extension Turn {
    /// Counts the result of a recipient that was not sent, for the job's log line.
    func note(_ entry: JobTally.Entry, _ outcome: Outcome, reason: String?) {
        guard jobLog != .none else { return }
        outbox.ledger.delivery(of: outcome.job.ledgerID)?.tally.add(entry, reason: reason)
    }

    /// Logs a job whose outcomes are all confirmed, if the log selects it. The log line contains no tokens, refs or
    /// payload.
    func tell(_ job: OpenJob) {
        guard jobLog != .none, jobLog != .problems || job.tally.hasProblem, let started = job as? StartedJob,
            started.isSent || started.isSettled, jobLog.tells(started.job.id, hasProblem: job.tally.hasProblem)
        else { return }
        if jobLog == .problems {
            logger.notice(.jobProblems, "Job finished, but not all pushes were sent", metadata: started.summary(now))
        } else {
            logger.info(.jobDone, "Job finished", metadata: started.summary(now))
        }
    }
}

extension StartedJob {
    fileprivate func summary(_ now: Timestamp) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "job": "\(job.id)", "app": "\(job.app)", "output": "\(output.name)", "lane": "\(inbound.lane.rawValue)",
            "recipients": .stringConvertible(job.recipients.count),
            "attempt": .stringConvertible(inbound.attempt),
            "redelivered": .stringConvertible(inbound.wasSentBefore),
            "took_ms": .stringConvertible(Int(clamping: now.milliseconds - inbound.arrivedAt.milliseconds)),
        ]
        if let trace {
            metadata["trace_id"] = .stringConvertible(trace.context.trace)
            metadata["span_id"] = .stringConvertible(trace.context.span)
        }
        for (word, count) in tally.counts(of: job.recipients.count) { metadata[word] = .stringConvertible(count) }
        if let reason = tally.reason { metadata["reason"] = "\(reason)" }
        // Many publishers do not set this time.
        if let published = inbound.delivery.properties.timestamp {
            metadata["age_s"] = .stringConvertible(max(0, Int(clamping: now.seconds) - Int(clamping: published)))
        }
        return metadata
    }
}
