import PushModel

/// Nothing but a nil test where there are no traces.
extension Turn {
    /// Its turn has come.
    func trace(_ started: StartedJob) {
        guard let tracer else { return }
        started.trace = tracer.trace(of: started.inbound, job: started.job.id, now: now)
    }

    /// What can't be used has a trace, too, so that its publisher sees why.
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

    /// A large job is being split.
    func traceScatter(of started: StartedJob) { started.trace?.scatters(tracer?.newSpan(), now) }

    /// Nothing more becomes of it here.
    mutating func endTrace(of job: OpenJob, error: String? = nil) {
        guard let trace = job.trace, let tracer else { return }
        job.trace = nil
        if let error { trace.error = error }
        spans += JobSpans.all(of: job, trace, tracer, now: now)
    }

    /// At the end of a turn.
    mutating func handOverSpans() {
        guard !spans.isEmpty else { return }
        tracer?.finished(spans)
        spans = []
    }
}
