/// The trace that a job belongs to, as messages say it (W3C Trace Context): carried into all that becomes of the job.
public struct TraceHeaders: Sendable, Hashable {
    public let traceparent: String
    public let tracestate: String?
    /// Spans are made of it here.
    package let isRecorded: Bool

    package init(traceparent: String, tracestate: String? = nil, isRecorded: Bool = false) {
        self.traceparent = traceparent
        self.tracestate = tracestate
        self.isRecorded = isRecorded
    }
}
