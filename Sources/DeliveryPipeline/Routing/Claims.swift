import PushModel
package import Store

/// The claims that wait for the database. One statement runs at a time, and further claims are collected meanwhile. A
/// value type without clock or I/O.
///
/// | claim | waits until |
/// |---|---|
/// | collected | the previous statement is answered |
/// | in a statement | the answer arrives |
/// | either, of a chunk | two seconds have passed; it is sent unclaimed, as its claim matters only after a rare crash |
/// | either, of another job | ten seconds have passed; the job is moved to a delay queue, together with its claim |
/// | made after a timeout | no wait; handled as above at once, until a statement is answered |
package struct Claims {
    package struct Batch: Sendable {
        package let id: UInt64
        package let requests: [ClaimRequest]
    }

    /// A job that waits for its claim.
    struct Asked {
        let claim: Claim
        let job: StartedJob
        let since: Timestamp
    }

    private var queue = StatementQueue<Asked>()
    /// Whether the database is slow, so that chunks do not wait for it.
    private var isDelayed = false
    /// Whether other jobs have timed out.
    private var isAway = false

    /// Whether no job waits.
    var isEmpty: Bool { queue.isEmpty }

    /// Adds a claim.
    ///
    /// - Returns: `false` if the job must not wait because earlier ones have timed out.
    mutating func add(_ asked: Asked) -> Bool {
        if asked.claim.rule == .chunk ? isDelayed : isAway { return false }
        queue.add(asked)
        return true
    }

    mutating func next(id: UInt64) -> Batch? {
        queue.next(id: id).map { Batch(id: id, requests: $0.map(\.claim.request)) }
    }

    /// Handles the answers to a statement. Claims without an answer are collected again, and keep their timeout.
    /// Claiming twice is harmless.
    ///
    /// - Parameter answers: the answers, in the order of the requests.
    /// - Returns: the answers to jobs that still wait, and the number of missing answers.
    mutating func answered(
        _ id: UInt64, _ answers: [ClaimAnswer]
    ) -> (answered: [(asked: Asked, answer: ClaimAnswer)], missing: Int) {
        guard let asked = queue.answered(id) else { return ([], 0) }
        (isDelayed, isAway) = (false, false)
        for unanswered in asked.dropFirst(answers.count) { if let unanswered { queue.add(unanswered) } }
        return (
            zip(asked, answers).compactMap { asked, answer in asked.map { ($0, answer) } },
            max(0, asked.count - answers.count)
        )
    }

    /// Removes the jobs that have waited for at least this number of milliseconds.
    ///
    /// - Returns: these jobs, and whether each was part of a statement, so that it may be claimed now or later.
    mutating func overdue(chunks: Int, others: Int, now: Timestamp) -> [(asked: Asked, mayBeClaimed: Bool)] {
        let (asked, gathering) = queue.takeOut {
            now.milliseconds - $0.since.milliseconds >= Int64($0.claim.rule == .chunk ? chunks : others)
        }
        let overdue = asked.map { ($0, true) } + gathering.map { ($0, false) }
        guard !overdue.isEmpty else { return [] }
        isDelayed = true
        if overdue.contains(where: { $0.0.claim.rule != .chunk }) { isAway = true }
        return overdue
    }
}
