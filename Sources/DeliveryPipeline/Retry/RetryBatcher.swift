import PushModel

/// Groups a job's recipients that wait for another attempt. Recipients share a message if their delays are equal and if
/// either none or all of their earlier pushes may have been accepted, because the mark `redelivered` applies to the
/// whole message.
struct RetryBatcher {
    struct Batch {
        let job: RoutedJob
        /// 0: at once, by another worker.
        let seconds: Int
        /// Not for a fault of their own, so this was no attempt.
        let isHeld: Bool
        /// Whether the pushes may already have been accepted.
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
