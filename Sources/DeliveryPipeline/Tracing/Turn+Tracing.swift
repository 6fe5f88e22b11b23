import PushModel

/// The tracing of jobs. Without a tracer, each call is only a test for `nil`.
extension Turn {
    /// Starts the trace of a started job, if the job is sampled.
    func trace(_ started: StartedJob) {
        guard let tracer else { return }
        started.trace = tracer.trace(of: started.inbound, job: started.job.id, now: now)
    }

    /// Records a rejection. A rejected job is also traced, so that its publisher can see the reason.
    func traceRejected(_ job: OpenJob, id: String?) {
        guard let tracer else { return }
        if job.trace == nil { job.trace = tracer.trace(of: job.inbound, job: id ?? "", now: now) }
        job.trace?.error = "rejected"
    }

    func trace(_ outcome: Outcome) {
        guard outcome.job.isTraced else { return }
        outbox.ledger.delivery(of: outcome.job.ledgerID)?.trace?.note(outcome)
    }

    func traceMark(of outcome: Outcome, isDone: Bool) {
        guard outcome.job.isTraced,
            let trace = outbox.ledger.delivery(of: outcome.job.ledgerID)?.trace
        else { return }
        if isDone { trace.marked(now) } else { trace.marks(now) }
    }

    /// Starts the span for the chunks of a large job.
    func traceScatter(of started: StartedJob) { started.trace?.scatters(tracer?.newSpan(), now) }

    /// Ends the trace of a job that this worker no longer processes.
    mutating func endTrace(of job: OpenJob, error: String? = nil) {
        guard let trace = job.trace, let tracer else { return }
        job.trace = nil
        if let error { trace.error = error }
        spans += JobSpans.all(of: job, trace, tracer, now: now)
    }

    /// Passes the spans of finished traces to the tracer. The core calls this method at the end of a turn.
    mutating func handOverSpans() {
        guard !spans.isEmpty else { return }
        tracer?.finished(spans)
        spans = []
    }
}
