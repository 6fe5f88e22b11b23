import PushModel
import Traces

/// What the spans of one delivery of a job are made of, while it is open. Only touched on the pipeline's queue.
final class JobTrace {
    /// Times, and how much of how many.
    struct Step {
        let start: Timestamp
        var end: Timestamp?
        /// That were begun: events, marks.
        var begun = 0
        /// Of these.
        var done = 0
        var outcomes = 0
    }

    /// That of its process span.
    let context: TraceContext
    /// What becomes of the job carries them.
    let headers: TraceHeaders
    /// What the message has brought.
    let parent: TraceContext?
    let state: String?
    private(set) var route: Step
    private(set) var push, telling, marking: Step?
    private(set) var scatter: (context: TraceContext, headers: TraceHeaders, step: Step)?
    private(set) var credential: Credential.ID?
    private(set) var outcomes = TracedOutcomes()
    /// Why it could not be dealt with.
    var error: String?

    init(_ context: TraceContext, parent: TraceContext?, state: String?, now: Timestamp) {
        self.context = context
        self.parent = parent
        self.state = state
        headers = TraceHeaders(traceparent: context.traceparent, tracestate: state, isRecorded: true)
        route = Step(start: now)
    }

    /// It is known where it goes.
    func routed(_ now: Timestamp) { if route.end == nil { route.end = now } }

    /// It is handed to its output.
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

    // MARK: What became of it

    /// An event with so many of its outcomes is published.
    func tells(_ outcomes: Int, _ now: Timestamp) {
        if telling == nil { telling = Step(start: now) }
        telling?.begun += 1
        telling?.outcomes += outcomes
    }

    /// The broker has one.
    func told(_ now: Timestamp) {
        telling?.done += 1
        telling?.end = now
    }

    /// A dead token waits to be marked.
    func marks(_ now: Timestamp) {
        if marking == nil { marking = Step(start: now) }
        marking?.begun += 1
    }

    func marked(_ now: Timestamp) {
        marking?.done += 1
        marking?.end = now
    }
}

/// What a span says of recipients: counts, and a few reasons with an example each.
struct TracedOutcomes {
    struct Reason {
        let verdict: Outcome.Verdict
        let reason: String
        let first: Timestamp
        /// The provider's, of the first.
        let id: String?
        var count = 1
    }

    static let mostReasons = 8
    static let mostStatuses = 8

    private(set) var counts = [Int](repeating: 0, count: Outcome.Verdict.allCases.count)
    /// By the provider's status, those that came first.
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

    /// Of so many an output has said what became of them.
    var pushed: Int { counts.reduce(0, +) - counts[Int(Outcome.Verdict.suppressed.rawValue)] }

    private mutating func add(status: Int) {
        if let place = statuses.firstIndex(where: { $0.status == status }) {
            statuses[place].count += 1
        } else if statuses.count < Self.mostStatuses {
            statuses.append((status, 1))
        }
    }

    /// Nothing of it was sent, for this reason; nil: something was, or nothing is wrong with it.
    var failure: String? {
        let bad: [Outcome.Verdict] = [.rejected, .failed, .unknown, .retry, .hold]
        guard counts[Int(Outcome.Verdict.sent.rawValue)] == 0,
            let verdict = bad.first(where: { counts[Int($0.rawValue)] > 0 })
        else { return nil }
        return reasons.first { $0.verdict == verdict }?.reason ?? "\(verdict)"
    }
}
