import PushModel
import Traces

/// The data for the spans of one open delivery. Only the pipeline's queue uses this object.
final class JobTrace {
    /// The times and counts of one span.
    struct Step {
        let start: Timestamp
        var end: Timestamp?
        /// The number of chunks, result events or marks that were begun.
        var begun = 0
        /// The number of result events or marks that are done.
        var done = 0
        /// The number of outcomes in the result events.
        var outcomes = 0
    }

    /// The trace context of the job's `process` span.
    let context: TraceContext
    /// The trace headers of messages that result from the job.
    let headers: TraceHeaders
    /// The trace context that the message carried, or `nil` if it carried none.
    let parent: TraceContext?
    let state: String?
    private(set) var route: Step
    private(set) var push, telling, marking: Step?
    private(set) var scatter: (context: TraceContext, headers: TraceHeaders, step: Step)?
    private(set) var credential: Credential.ID?
    private(set) var outcomes = TracedOutcomes()
    /// The reason why the job failed, or `nil` if it did not fail.
    var error: String?

    init(_ context: TraceContext, parent: TraceContext?, state: String?, now: Timestamp) {
        self.context = context
        self.parent = parent
        self.state = state
        headers = TraceHeaders(traceparent: context.traceparent, tracestate: state, isRecorded: true)
        route = Step(start: now)
    }

    /// Ends the route span.
    func routed(_ now: Timestamp) { if route.end == nil { route.end = now } }

    /// Records the credential and starts the push span when the job is passed to its output.
    func sent(with credential: Credential?, _ now: Timestamp) {
        self.credential = credential?.id
        push = Step(start: now)
    }

    func note(_ outcome: Outcome) {
        outcomes.add(outcome)
        guard let push else { return }
        self.push?.end = max(push.end ?? push.start, outcome.at)
    }

    // MARK: Chunks

    func scatters(_ span: SpanID?, _ now: Timestamp) {
        guard let span else { return }
        let context = TraceContext(trace: context.trace, span: span, isSampled: true)
        let headers = TraceHeaders(traceparent: context.traceparent, tracestate: state, isRecorded: true)
        scatter = (context, headers, Step(start: now))
    }

    func scattered() { scatter?.step.begun += 1 }

    // MARK: Result events and marks

    /// Counts a result event that was published with a number of the job's outcomes.
    func tells(_ outcomes: Int, _ now: Timestamp) {
        if telling == nil { telling = Step(start: now) }
        telling?.begun += 1
        telling?.outcomes += outcomes
    }

    /// Counts a result event that the broker confirmed.
    func published(_ now: Timestamp) {
        telling?.done += 1
        telling?.end = now
    }

    /// Counts a dead token that waits to be marked.
    func marks(_ now: Timestamp) {
        if marking == nil { marking = Step(start: now) }
        marking?.begun += 1
    }

    func marked(_ now: Timestamp) {
        marking?.done += 1
        marking?.end = now
    }
}

/// The summary of a job's outcomes in its spans: counts, and a few reasons with an example each.
struct TracedOutcomes {
    struct Reason {
        let verdict: Outcome.Verdict
        let reason: String
        let first: Timestamp
        /// The provider's id in the first outcome with this reason, or `nil` if it has none.
        let id: String?
        var count = 1
    }

    static let mostReasons = 8
    static let mostStatuses = 8

    private(set) var counts = [Int](repeating: 0, count: Outcome.Verdict.allCases.count)
    /// The counts by the provider's status, for the first few statuses.
    private(set) var statuses: [(status: Int, count: Int)] = []
    private(set) var reasons: [Reason] = []

    mutating func add(_ outcome: Outcome) {
        counts[Int(outcome.verdict.rawValue)] += 1
        if outcome.status != 0 { add(status: outcome.status) }
        guard outcome.verdict != .sent, let reason = outcome.reason else { return }
        if let place = reasons.firstIndex(where: { $0.verdict == outcome.verdict && $0.reason == reason }) {
            reasons[place].count += 1
        } else if reasons.count < Self.mostReasons {
            reasons.append(
                Reason(
                    verdict: outcome.verdict, reason: reason, first: outcome.at,
                    id: outcome.providerID.map { "\($0)" }))
        }
    }

    /// The number of outcomes, except for those of suppressed recipients.
    var pushed: Int { counts.reduce(0, +) - counts[Int(Outcome.Verdict.suppressed.rawValue)] }

    private mutating func add(status: Int) {
        if let place = statuses.firstIndex(where: { $0.status == status }) {
            statuses[place].count += 1
        } else if statuses.count < Self.mostStatuses {
            statuses.append((status, 1))
        }
    }

    /// The error of the push span. It is `nil` if at least one recipient was sent, or if there is no error.
    var failure: String? {
        let bad: [Outcome.Verdict] = [.rejected, .failed, .unknown, .retry, .hold]
        guard counts[Int(Outcome.Verdict.sent.rawValue)] == 0,
            let verdict = bad.first(where: { counts[Int($0.rawValue)] > 0 })
        else { return nil }
        return reasons.first { $0.verdict == verdict }?.reason ?? "\(verdict)"
    }
}
