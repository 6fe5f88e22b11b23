import PushModel

/// A collector that groups the recipients of a job that need another attempt. Recipients share a message if their
/// delays are equal, and if either all or none of their pushes may have been accepted. The second condition is
/// necessary because the mark `redelivered` applies to the whole message.
struct RetryBatcher {
    struct Batch {
        let job: RoutedJob
        /// The delay in seconds, or 0 to requeue the pushes at once for another worker.
        let seconds: Int
        /// Whether the pushes were held or returned unsent, which does not count as an attempt.
        let isHeld: Bool
        /// Whether the pushes may already have been accepted.
        let maybeSent: Bool
        var recipients: [Int] = []
    }

    private struct Key: Hashable {
        /// The routed job. The delivery is not sufficient as a key, because it may have two routed jobs with different
        /// recipients.
        let job: ObjectIdentifier
        let seconds: Int
        let isHeld: Bool
        let maybeSent: Bool
    }

    /// The batches in the order of their first outcomes.
    private var batches: [Batch] = []
    /// The indices in ``batches``.
    private var places: [Key: Int] = [:]

    var isEmpty: Bool { batches.isEmpty }

    mutating func add(_ outcome: Outcome, seconds: Int) {
        let key = Key(
            job: ObjectIdentifier(outcome.job), seconds: seconds, isHeld: [.hold, .returned].contains(outcome.verdict),
            maybeSent: outcome.verdict == .unknown)
        let place = places[key] ?? batches.count
        if place == batches.count {
            places[key] = place
            batches.append(Batch(job: outcome.job, seconds: seconds, isHeld: key.isHeld, maybeSent: key.maybeSent))
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
