import PushModel

/// A collector that groups the recipients of a job that need another attempt. Recipients share a message if their
/// delays and verdicts are equal, because the mark `redelivered` and the number of attempts apply to the whole message.
struct RetryBatcher {
    struct Batch {
        let job: RoutedJob
        /// The delay in seconds, or 0 to requeue the pushes at once.
        let seconds: Int
        let verdict: Outcome.Verdict
        var recipients: [Int] = []

        /// Whether the pushes were held or returned unsent, which does not count as an attempt.
        var isHeld: Bool { verdict == .hold || verdict == .returned }
        /// Whether the pushes may already have been accepted.
        var maybeSent: Bool { verdict == .unknown }
    }

    private struct Key: Hashable {
        /// The routed job. The delivery is not sufficient as a key, because it may have two routed jobs with different
        /// recipients.
        let job: ObjectIdentifier
        let seconds: Int
        let verdict: Outcome.Verdict
    }

    /// The batches in the order of their first outcomes.
    private var batches: [Batch] = []
    /// The indices in ``batches``.
    private var places: [Key: Int] = [:]

    var isEmpty: Bool { batches.isEmpty }

    mutating func add(_ outcome: Outcome, seconds: Int) {
        let key = Key(job: ObjectIdentifier(outcome.job), seconds: seconds, verdict: outcome.verdict)
        let place = places[key] ?? batches.count
        if place == batches.count {
            places[key] = place
            batches.append(Batch(job: outcome.job, seconds: seconds, verdict: outcome.verdict))
        }
        batches[place].recipients.append(outcome.recipient)
    }

    mutating func flush() -> [Batch] {
        defer {
            batches.removeAll(keepingCapacity: true)
            places.removeAll(keepingCapacity: true)
        }
        return batches
    }
}
