import PushModel
package import Store

/// Claims on their way to the database: one statement at a time, the rest gathers meanwhile. A value: no clock, no I/O.
///
/// | a job that waits for its claim | until |
/// |---|---|
/// | gathers | the statement before is answered |
/// | is asked for | the answer comes |
/// | either, and is a chunk | two seconds are over: it goes on unclaimed, since its claim tells of a crash, and such are rare |
/// | either, and is another | ten seconds are over: it waits in the broker, and its claim goes with it |
/// | comes while others have waited in vain | at once the same, until the statement is answered |
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
    /// The database takes its time: chunks don't wait for it.
    private var isDelayed = false
    /// Jobs have waited for it in vain.
    private var isAway = false

    /// No job waits.
    var isEmpty: Bool { queue.isEmpty }

    /// - Returns: false: it is not to wait, since others have in vain.
    mutating func add(_ asked: Asked) -> Bool {
        if asked.claim.rule == .chunk ? isDelayed : isAway { return false }
        queue.add(asked)
        return true
    }

    mutating func next(id: UInt64) -> Batch? {
        queue.next(id: id).map { Batch(id: id, requests: $0.map(\.claim.request)) }
    }

    /// Claims without an answer among these gather again, and wait no longer than the rest: claiming twice does no
    /// harm.
    ///
    /// - Parameter answers: by the place of what was asked for.
    /// - Returns: the answers to those that still wait, and how many were missing.
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

    /// - Returns: jobs that wait no longer, since they have waited for so many milliseconds, and whether they have been
    ///   asked for: then they may be claimed, or be so later.
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
