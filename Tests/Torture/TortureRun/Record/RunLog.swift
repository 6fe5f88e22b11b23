import Foundation
import Foundations

/// Returns the current time in milliseconds since 1970.
func currentMilliseconds() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

/// A thread-safe log of all observations during a run.
final class RunLog: Sendable {
    private let record = Mutex(TortureRecord())
    private let events = Mutex<[String: Int]>([:])
    private let progress = Mutex(Progress())

    /// The progress of the run. It is separate from the record, so that queries are fast.
    private struct Progress {
        var done: Set<RecipientID> = []
        /// The number of recipients without an outcome, by job. A job without such recipients has no entry.
        var open: [Int: Int] = [:]
        /// The jobs whose `sent` outcomes are not reported.
        var wantProblemsOnly: Set<Int> = []
        /// The jobs with thousands of recipients for which APNs has received the first push.
        var begunGiants: Set<Int> = []
        /// The job numbers by the ids that workers generated for jobs without an id. Outcomes contain these ids.
        var madeUpIDs: [String: Int] = [:]
        /// The times at which each worker's first outcome for the flood arrived, in milliseconds since 1970.
        var firstOutcomes: [String: Int64] = [:]

        mutating func finish(_ recipients: some Sequence<RecipientID>) {
            for recipient in recipients where done.insert(recipient).inserted {
                guard let left = open[recipient.job] else { continue }
                open[recipient.job] = left > 1 ? left - 1 : nil
            }
        }
    }

    var snapshot: TortureRecord { record.withLock { $0 } }

    func update(_ change: (inout TortureRecord) -> Void) { record.withLock { change(&$0) } }

    func odd(_ text: String) { update { $0.oddities.append(text) } }

    // MARK: Jobs

    func published(_ plan: JobPlan, at time: Int64, sendAt: Int64?, expiresAt: Int64?) {
        if plan.traits.flaw == nil {
            progress.withLock {
                $0.open[plan.number] = plan.recipients.count
                if plan.traits.wantsProblemsOnly { $0.wantProblemsOnly.insert(plan.number) }
            }
        }
        update {
            $0.jobs[plan.number] = JobRecord(
                output: plan.output, app: plan.app, lane: plan.lane, traits: plan.traits, recipients: plan.recipients,
                published: time, sendAt: sendAt, expiresAt: expiresAt)
        }
    }

    func cancelled(_ job: Int) {
        let now = currentMilliseconds()
        update { $0.jobs[job]?.cancelled = now }
    }

    func confirmed(_ jobs: [Int]) {
        let now = currentMilliseconds()
        update { for job in jobs where $0.jobs[job]?.confirmed == nil { $0.jobs[job]?.confirmed = now } }
    }

    func maybeTwice(_ jobs: [Int]) {
        update { for job in jobs { $0.jobs[job]?.timesRepeated += 1 } }
    }

    /// The number of recipients without an outcome in all confirmed jobs.
    var recipientsOpen: Int {
        let open = progress.withLock { $0.open }
        return record.withLock { record in
            open.reduce(0) { sum, job in record.jobs[job.key]?.confirmed == nil ? sum : sum + job.value }
        }
    }

    // MARK: Result events

    /// Registers the arrival of a result event.
    ///
    /// - Returns: the number of the event, and whether it arrived before.
    func event(messageID: String) -> (number: Int, isRepeated: Bool) {
        events.withLock { events in
            if let known = events[messageID] { return (known, true) }
            events[messageID] = events.count
            return (events.count - 1, false)
        }
    }

    func add(_ outcomes: [OutcomeRecord]) {
        update { $0.outcomes += outcomes }
        progress.withLock { progress in
            progress.finish(outcomes.lazy.map(\.recipient))
            for outcome in outcomes { if let id = outcome.madeUpID { progress.madeUpIDs[id] = outcome.recipient.job } }
            for outcome in outcomes
            where JobNumber.isFlood(outcome.recipient.job) && progress.firstOutcomes[outcome.worker] == nil {
                progress.firstOutcomes[outcome.worker] = outcome.received
            }
        }
    }

    func add(_ rejection: RejectionRecord) {
        update { $0.rejections.append(rejection) }
        // A rejected job gets no further outcomes. One example is a job that the broker dropped.
        progress.withLock { $0.open[rejection.job] = nil }
    }

    // MARK: Requests

    func add(_ sighting: SightingRecord) {
        update { $0.sightings.append(sighting) }
        if JobNumber.isGiant(sighting.recipient.job) {
            progress.withLock { _ = $0.begunGiants.insert(sighting.recipient.job) }
        }
        guard sighting.what.isAcceptance else { return }
        progress.withLock {
            if $0.wantProblemsOnly.contains(sighting.recipient.job) { $0.finish(CollectionOfOne(sighting.recipient)) }
        }
    }

    func hasBegun(giant job: Int) -> Bool { progress.withLock { $0.begunGiants.contains(job) } }

    func job(madeUpID id: String) -> Int? { progress.withLock { $0.madeUpIDs[id] } }

    func firstOutcome(of worker: String) -> Int64? { progress.withLock { $0.firstOutcomes[worker] } }

    /// The number of recipients of the flood that have no outcome yet.
    var floodLeft: Int {
        progress.withLock { $0.open.reduce(0) { JobNumber.isFlood($1.key) ? $0 + $1.value : $0 } }
    }

    /// Returns whether no recipient of a job is waiting for an outcome. This is also true for a rejected job.
    func isDone(_ job: Int) -> Bool { progress.withLock { $0.open[job] == nil } }

    var sightingCount: Int { record.withLock { $0.sightings.count } }

    var doneCount: Int { progress.withLock { $0.done.count } }
}
