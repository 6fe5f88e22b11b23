import Contract
package import Metering
import PushModel

/// The metrics of the pipeline. Except for the counters of apps that are registered later, they exist before the
/// pipeline starts, so that they are exported from the beginning. Except for ``commits``, only the pipeline's queue
/// writes them.
package final class PipelineMeter: Sendable {
    /// The times from the due time of a job to its start, by lane.
    private let ages: [MetricHistogram]
    /// The times from the due time of a job until its outcomes are confirmed, by lane. Jobs on their first attempt and
    /// jobs on later attempts have separate histograms.
    private let firstOutcomes, laterOutcomes: [MetricHistogram]
    /// The times from the publishing of a message to the broker's confirm.
    private let confirms: MetricHistogram
    /// The durations of commits in the database. The task that marks dead tokens writes to this histogram.
    let commits: MetricHistogram
    /// The counters of established, failed and lost connections to the broker.
    private let connected, notConnected, lost: MetricCell
    /// The counters of outcomes by verdict, from outputs and from the pipeline itself.
    private let attempts: [MetricCell]
    /// The counters of retries, by their delay in seconds.
    private let retries: [Int: MetricCell]
    /// The counters of pushes that were held or delayed for another attempt, by lane.
    private let deferred: [MetricCell]
    package let apps: AppTallies
    package let reasons: ReasonTallies
    private let outputs: OutputTallies

    /// Creates the metrics.
    ///
    /// - Parameters:
    ///   - delays: the delays of the delay queues, in seconds.
    ///   - mostApps: the maximum number of apps with time series of their own.
    ///   - reasons: the names of the reasons that each output's provider gives, by output.
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

    /// Counts an established, failed or lost connection to the broker.
    func links(isOpen: Bool, wasOpen: Bool) {
        (isOpen ? connected : wasOpen ? lost : notConnected).add()
    }

    /// Records the time from the due time of a job to its start. Later attempts and jobs without a time of publication
    /// are not recorded.
    func starts(_ job: StartedJob, now: Timestamp) {
        guard job.inbound.isDated, !job.inbound.hasBeenTried else { return }
        ages[job.inbound.lane.place].observe(now.since(job.due))
    }

    /// Records the time from publishing a message to the broker's confirm. Refused messages are excluded.
    func confirmed(_ message: UnconfirmedMessage, now: Timestamp) { confirms.observe(now.since(message.since)) }

    /// Records the time from the due time of a job until a number of its outcomes were confirmed.
    func published(_ job: OpenJob, _ count: Int, now: Timestamp) {
        let outcomes = job.inbound.hasBeenTried ? laterOutcomes : firstOutcomes
        outcomes[job.inbound.lane.place].observe(now.since(job.due), times: count)
    }

    /// Counts outcomes, including those that no output reported.
    func reported(_ verdict: Outcome.Verdict, _ count: Int = 1) { attempts[Int(verdict.rawValue)].add(count) }

    /// Counts the policy's decision about a push.
    func decided(_ decision: OutcomePolicy.Decision, about outcome: Outcome) {
        outputs.count(decision, of: outcome.job.job.output)
    }

    func retried(seconds: Int) { retries[seconds]?.add() }

    /// Counts a push of this job that is held or delayed for another attempt.
    func deferred(_ job: OpenJob) { deferred[job.inbound.lane.place].add() }

    /// Counts an outcome that is not `sent`, by app and by reason.
    func settled(_ outcome: Outcome, as kind: OutcomeKind, reason: String?) {
        outcome.job.tally.count(kind.place)
        reasons.count(outcome, reason)
    }
}

extension Timestamp {
    /// Returns the time since an earlier moment in milliseconds, or 0 if that moment is in the future.
    fileprivate func since(_ earlier: Timestamp) -> Int { Int(max(0, milliseconds - earlier.milliseconds)) }
}
