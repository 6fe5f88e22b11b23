import PushModel

/// Gathers the recipients of a job that wait for another attempt. Recipients share a message if they wait equally long and their
/// pushes were either all certainly not accepted or all perhaps accepted, because the whole message is marked as redelivered
/// or is not.
struct RetryBatcher {
    struct Batch {
        let job: RoutedJob
        /// 0: at once, by another worker.
        let seconds: Int
        /// Not for a fault of their own, so this was no attempt.
        let isHeld: Bool
        /// Whether the pushes may have been accepted already.
        let maybeSent: Bool
        var recipients: [Int] = []
    }

    private struct Key: Hashable {
        /// Not the delivery: two jobs can come of one, each for some of its recipients.
        let job: ObjectIdentifier
        let seconds: Int
        let isHeld: Bool
        let maybeSent: Bool
    }

    private var batches: [Key: Batch] = [:]

    var isEmpty: Bool { batches.isEmpty }

    mutating func add(_ outcome: Outcome, seconds: Int) {
        let key = Key(
            job: ObjectIdentifier(outcome.job), seconds: seconds, isHeld: [.hold, .returned].contains(outcome.verdict),
            maybeSent: outcome.verdict == .unknown)
        batches[
            key,
            default: Batch(job: outcome.job, seconds: seconds, isHeld: key.isHeld, maybeSent: key.maybeSent)
        ].recipients.append(outcome.recipient)
    }

    mutating func flush() -> [Batch] {
        defer { batches.removeAll(keepingCapacity: true) }
        return Array(batches.values)
    }
}
