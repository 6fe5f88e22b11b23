import Foundation
import Synchronization

/// Milliseconds since 1970.
func currentMilliseconds() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

/// Gathers what is seen of a run, from any thread.
final class RunLog: Sendable {
    private let record = Mutex(TortureRecord())
    private let events = Mutex<[String: Int]>([:])
    private let progress = Mutex(Progress())

    /// Kept beside the record, so that asking how far things are costs little.
    private struct Progress {
        var withOutcome: Set<RecipientID> = []
        /// Recipients without an outcome, of those jobs that have any.
        var open: [Int: Int] = [:]
    }

    var snapshot: TortureRecord { record.withLock { $0 } }

    func update(_ change: (inout TortureRecord) -> Void) { record.withLock { change(&$0) } }

    func odd(_ text: String) { update { $0.oddities.append(text) } }

    // MARK: Jobs

    func published(_ plan: JobPlan) {
        progress.withLock { $0.open[plan.number] = plan.recipients.count }
        update {
            $0.jobs[plan.number] = JobRecord(
                app: plan.app, lane: plan.lane, isAtMostOnce: plan.isAtMostOnce, recipients: plan.recipients,
                published: currentMilliseconds())
        }
    }

    func confirmed(_ jobs: [Int]) {
        let now = currentMilliseconds()
        update { for job in jobs { $0.jobs[job]?.confirmed = now } }
    }

    func maybeTwice(_ jobs: [Int]) {
        update { for job in jobs { $0.jobs[job]?.isMaybeTwice = true } }
    }

    /// Recipients of confirmed jobs without an outcome.
    var recipientsOpen: Int {
        let open = progress.withLock { $0.open }
        return record.withLock { record in
            open.reduce(0) { sum, job in record.jobs[job.key]?.confirmed == nil ? sum : sum + job.value }
        }
    }

    // MARK: Events

    /// - Returns: the event's number, and whether it has come before.
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
            for recipient in outcomes.map(\.recipient) where progress.withOutcome.insert(recipient).inserted {
                guard let open = progress.open[recipient.job] else { continue }
                progress.open[recipient.job] = open > 1 ? open - 1 : nil
            }
        }
    }

    var sightingCount: Int { record.withLock { $0.sightings.count } }

    var outcomeCount: Int { progress.withLock { $0.withOutcome.count } }
}
