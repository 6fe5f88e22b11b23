/// The trace to which a job belongs, as W3C Trace Context message headers. Every message that results from the job
/// carries them.
public struct TraceHeaders: Sendable, Hashable {
    public let traceparent: String
    public let tracestate: String?
    /// Whether this worker records spans of the trace.
    package let isRecorded: Bool

    package init(traceparent: String, tracestate: String? = nil, isRecorded: Bool = false) {
        self.traceparent = traceparent
        self.tracestate = tracestate
        self.isRecorded = isRecorded
    }
}
