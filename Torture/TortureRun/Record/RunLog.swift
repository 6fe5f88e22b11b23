import Foundation
import Synchronization

/// Milliseconds since 1970.
func currentMilliseconds() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

/// Gathers what is seen of a run, from any thread.
final class RunLog: Sendable {
    private let record = Mutex(TortureRecord())
    private let events = Mutex<[String: Int]>([:])
    private let settledCount = Mutex(SettledCount())

    /// Kept beside the record, so that asking whether all are settled costs nothing.
    private struct SettledCount {
        var withOutcome: Set<RecipientID> = []
    }

    var snapshot: TortureRecord { record.withLock { $0 } }

    func update(_ change: (inout TortureRecord) -> Void) { record.withLock { change(&$0) } }

    func odd(_ text: String) { update { $0.oddities.append(text) } }

    // MARK: Jobs

    func published(_ plan: JobPlan) {
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
        let withOutcome = settledCount.withLock { $0.withOutcome }
        return record.withLock { record in
            record.jobs.reduce(0) { sum, job in
                guard job.value.confirmed != nil else { return sum }
                return sum
                    + job.value.recipients.indices.count {
                        !withOutcome.contains(RecipientID(job: job.key, index: $0))
                    }
            }
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
        settledCount.withLock { for outcome in outcomes { $0.withOutcome.insert(outcome.recipient) } }
    }

    var outcomeCount: Int { settledCount.withLock { $0.withOutcome.count } }
}
