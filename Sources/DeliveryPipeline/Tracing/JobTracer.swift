package import Contract
import PushModel
package import Traces

/// The tracer of jobs. It decides which jobs are traced, and passes their spans to ``finished`` when they are done.
///
/// | event | trace of the job |
/// |---|---|
/// | delivered, and not started | none, because nothing has been done yet |
/// | started or rejected | begins if it is sampled; the open job holds it |
/// | chunks, another attempt, a move, result events | carry the trace's id |
/// | acknowledged, or left for the broker to dead-letter | its spans are passed on in the same turn |
/// | connection lost, and this worker drops the job | its spans are passed on in the same turn, with an error |
/// | connection lost, and this worker continues the job | continues to the end |
/// | redelivered | begins again, with the same id if the message carries one |
/// | open at the end of a drain, or the worker dies | is lost |
package struct JobTracer: Sendable {
    let names: PipelineNames
    /// The closure that receives the spans of finished jobs. It is called on the pipeline's queue.
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

    /// Returns a new trace, or `nil` if the job is not sampled.
    func trace(of inbound: InboundJob, job: String, now: Timestamp) -> JobTrace? {
        let parent = inbound.traceparent.flatMap { TraceContext(traceparent: $0) }
        guard sampler.samples(parent, job: job), let span = newSpan(),
            let trace = parent?.trace ?? TraceID(high: random(), low: random())
        else { return nil }
        let context = TraceContext(trace: trace, span: span, isSampled: true)
        return JobTrace(context, parent: parent, state: parent == nil ? nil : inbound.tracestate, now: now)
    }

    /// Returns a random span id, or `nil` if the random number is 0, which is not a valid id.
    func newSpan() -> SpanID? { SpanID(random()) }
}
