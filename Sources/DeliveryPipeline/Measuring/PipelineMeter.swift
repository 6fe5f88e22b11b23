package import Metering
import PushModel

/// The cells that the pipeline counts in. Written on its queue only; made before there is a pipeline, so that all of it is
/// shown from the start.
package final class PipelineMeter: Sendable {
    private let ages: [MetricHistogram]
    /// By lane; of jobs that were not put back, and of those that were.
    private let firstOutcomes, laterOutcomes: [MetricHistogram]
    private let confirms: MetricHistogram
    /// Written by the task that marks.
    let commits: MetricHistogram
    /// Connections to the broker, all together.
    private let connected, notConnected, lost: MetricCell
    private let attempts: [MetricCell]
    private let retries: [Int: MetricCell]
    /// The pushes that were delayed for another attempt or by a refused credential, by lane.
    private let deferred: [MetricCell]
    package let apps: AppTallies
    package let reasons: ReasonTallies
    private let outputs: OutputTallies

    /// - Parameters:
    ///   - delays: of the delay queues, in seconds.
    ///   - mostApps: that have series of their own.
    ///   - reasons: what each output's provider may say.
    package init(_ registry: MetricRegistry, delays: [Int], mostApps: Int, reasons: [String: [String]]) {
        let lanes = Lane.allCases.map(\.rawValue)
        ages = lanes.map { registry.histogram(.jobAge, [$0]) }
        firstOutcomes = lanes.map { registry.histogram(.outcomeTimes, [$0, "first"]) }
        laterOutcomes = lanes.map { registry.histogram(.outcomeTimes, [$0, "later"]) }
        confirms = registry.histogram(.settleTimes, ["broker"])
        commits = registry.histogram(.settleTimes, ["database"])
        connected = registry.cell(.connects, ["broker", "ok"])
        notConnected = registry.cell(.connects, ["broker", "failed"])
        lost = registry.cell(.connects, ["broker", "lost"])
        attempts = Outcome.Verdict.allCases.map { registry.cell(.attempts, ["\($0)"]) }
        retries = Dictionary(
            delays.map { ($0, registry.cell(.retries, ["\($0)"])) }, uniquingKeysWith: { first, _ in first })
        deferred = lanes.map { registry.cell(.deferred, [$0]) }
        apps = AppTallies(registry, most: mostApps)
        self.reasons = ReasonTallies(registry, reasons)
        outputs = OutputTallies(registry, outputs: reasons.keys)
    }

    /// A connection to the broker was made, lost, or could not be made.
    func links(isOpen: Bool, wasOpen: Bool) {
        (isOpen ? connected : wasOpen ? lost : notConnected).add()
    }

    /// A job is taken on.
    func starts(_ job: StartedJob, now: Timestamp) {
        guard job.inbound.isDated, !job.inbound.hasBeenTried else { return }
        ages[job.inbound.lane.place].observe(now.since(job.due))
    }

    /// The broker has confirmed a message.
    func confirmed(_ message: UnconfirmedMessage, now: Timestamp) { confirms.observe(now.since(message.since)) }

    /// What became of so many recipients is safe.
    func told(_ job: OpenJob, _ count: Int, now: Timestamp) {
        let outcomes = job.inbound.hasBeenTried ? laterOutcomes : firstOutcomes
        outcomes[job.inbound.lane.place].observe(now.since(job.due), times: count)
    }

    /// Outputs have reported so many.
    func reported(_ verdict: Outcome.Verdict, _ count: Int = 1) { attempts[Int(verdict.rawValue)].add(count) }

    /// Counts the policy's decision about a push.
    func decided(_ decision: OutcomePolicy.Decision, about outcome: Outcome) {
        outputs.count(decision, of: outcome.job.job.output)
    }

    func retried(seconds: Int) { retries[seconds]?.add() }

    /// Counts a push of this job that waits for another attempt or until its credential is accepted.
    func deferred(_ job: OpenJob) { deferred[job.inbound.lane.place].add() }

    /// It was not accepted, and is one of the kinds in the events.
    func settled(_ outcome: Outcome, as kind: OutcomeKind, reason: String?) {
        outcome.job.tally.count(kind.place)
        reasons.count(outcome, reason)
    }
}

extension Timestamp {
    /// Milliseconds; none before it.
    fileprivate func since(_ earlier: Timestamp) -> Int { Int(max(0, milliseconds - earlier.milliseconds)) }
}
