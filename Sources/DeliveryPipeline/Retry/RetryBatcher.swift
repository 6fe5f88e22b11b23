import PushModel

/// Gathers the recipients of a job that wait for another attempt, so that they travel in one message.
struct RetryBatcher {
    struct Batch {
        let job: RoutedJob
        /// 0: at once, by another worker.
        let seconds: Int
        /// Not for a fault of their own, so this was no attempt.
        let isHeld: Bool
        /// The pushes may have been accepted already.
        var maybeSent = false
        var recipients: [Int] = []
    }

    private struct Key: Hashable {
        /// Not the delivery: two jobs can come of one, each for some of its recipients.
        let job: ObjectIdentifier
        let seconds: Int
        let isHeld: Bool
    }

    private var batches: [Key: Batch] = [:]

    var isEmpty: Bool { batches.isEmpty }

    mutating func add(_ outcome: Outcome, seconds: Int) {
        let key = Key(
            job: ObjectIdentifier(outcome.job), seconds: seconds, isHeld: [.hold, .returned].contains(outcome.verdict))
        batches[key, default: Batch(job: outcome.job, seconds: seconds, isHeld: key.isHeld)]
            .recipients.append(outcome.recipient)
        if outcome.verdict == .unknown { batches[key]?.maybeSent = true }
    }

    mutating func flush() -> [Batch] {
        defer { batches.removeAll(keepingCapacity: true) }
        return Array(batches.values)
    }
}
