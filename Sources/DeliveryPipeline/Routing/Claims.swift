import PushModel
package import Store

/// The claims that wait for the database. Only one statement runs at a time, and further claims are collected until it
/// is answered. A value type without clock or I/O.
///
/// | claim | waits for |
/// |---|---|
/// | collected | the answer to the previous statement |
/// | in a statement | the answer to this statement |
///
/// | claim of | maximum wait | afterwards |
/// |---|---|---|
/// | a chunk, unless it is `at_most_once` | two seconds | the chunk is sent unclaimed |
/// | another job | ten seconds | the job moves to a delay queue |
///
/// After such a timeout, later claims are handled as if they had also timed out, until a statement is answered. If only
/// chunks have timed out, this applies only to chunks. A chunk may be sent unclaimed because its claim matters only
/// after a rare crash. Here, an `at_most_once` chunk counts as another job.
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
    /// Whether a claim has timed out since the last answer. New chunks then do not wait for the database.
    private var isDelayed = false
    /// Whether the claim of a job other than a chunk has timed out since the last answer. Such jobs then do not wait
    /// for the database.
    private var isAway = false

    /// Whether there are no waiting claims.
    var isEmpty: Bool { queue.isEmpty }

    /// Adds a claim.
    ///
    /// - Returns: `false` if the job must not wait because earlier claims have timed out.
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
    /// - Returns: the claims that still waited, with their answers, and the number of missing answers.
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

    /// Removes the claims that have waited for too long.
    ///
    /// - Parameters:
    ///   - chunks: the maximum wait of a chunk, in milliseconds.
    ///   - others: the maximum wait of other jobs, in milliseconds.
    /// - Returns: the removed claims, and whether each was part of a statement. The database may have committed such a
    ///   claim, or may commit it later.
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
