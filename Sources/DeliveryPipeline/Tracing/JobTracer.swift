import PushModel
package import Traces

/// Decides which jobs are traced, and gets their spans when the jobs are done.
///
/// | what happens to a job | its trace |
/// |---|---|
/// | it is delivered, and waits for its turn | has none: nobody has done anything yet |
/// | its turn comes, or it is rejected | begins, if it is sampled; the open job holds it |
/// | chunks, another attempt, a move, events | carry the trace's id on |
/// | acknowledged, or left to the broker to dead-letter | its spans are handed over, in the same turn |
/// | its connection is lost, and only the broker has it | the same, as a failure |
/// | its connection is lost, and it is with an output | goes on to the end |
/// | delivered again | begins anew; with the same id if the message carries one |
/// | open when a drain's time is over, or the worker dies | is lost |
package struct JobTracer: Sendable {
    let names: PipelineNames
    /// Called on the pipeline's queue.
    let finished: @Sendable ([Span]) -> Void
    private let sampler: TraceSampler
    private let random: @Sendable () -> UInt64

    package init(
        _ sampler: TraceSampler, names: PipelineNames,
        random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
        finished: @escaping @Sendable ([Span]) -> Void
    ) {
        self.names = names
        self.finished = finished
        self.sampler = sampler
        self.random = random
    }

    /// - Returns: nil: it is not sampled.
    func trace(of inbound: InboundJob, job: String, now: Timestamp) -> JobTrace? {
        let parent = inbound.traceparent.flatMap { TraceContext(traceparent: $0) }
        guard sampler.samples(parent, job: job), let span = newSpan(),
            let trace = parent?.trace ?? TraceID(high: random(), low: random())
        else { return nil }
        let context = TraceContext(trace: trace, span: span, isSampled: true)
        return JobTrace(context, parent: parent, state: parent == nil ? nil : inbound.tracestate, now: now)
    }

    /// Zero, which is none, comes once in the life of the universe.
    func newSpan() -> SpanID? { SpanID(random()) }
}
