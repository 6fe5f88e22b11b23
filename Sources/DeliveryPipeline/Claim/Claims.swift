package import CredentialStore
import PushModel

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
        let job: Job
        let output: any Output
        let environment: PushEnvironment
        let inbound: InboundJob
        let use: AppUse
        let entry: Int
        let since: Timestamp
        /// Taken on while this waited.
        let recipients: Int
    }

    private var gathering: [Asked] = []
    /// What no longer waits for the answer is nil, since answers come by place.
    private var asking: (id: UInt64, jobs: [Asked?])?
    /// The database takes its time: chunks don't wait for it.
    private var isDelayed = false
    /// Jobs have waited for it in vain.
    private var isAway = false
    private var waiting = 0

    var canBeWritten: Bool { !gathering.isEmpty && asking == nil }
    /// Jobs that wait.
    var isEmpty: Bool { waiting == 0 }

    /// - Returns: false: it is not to wait, since others have in vain.
    mutating func add(_ asked: Asked) -> Bool {
        if asked.claim.rule == .chunk ? isDelayed : isAway { return false }
        gathering.append(asked)
        waiting += 1
        return true
    }

    mutating func next(id: UInt64) -> Batch? {
        guard canBeWritten else { return nil }
        asking = (id, gathering)
        defer { gathering = [] }
        return Batch(id: id, requests: gathering.map(\.claim.request))
    }

    mutating func answered(_ id: UInt64, _ answers: [ClaimAnswer]) -> [(asked: Asked, answer: ClaimAnswer)] {
        guard let asking, asking.id == id else { return [] }
        self.asking = nil
        (isDelayed, isAway) = (false, false)
        let answered = zip(asking.jobs, answers).compactMap { asked, answer in asked.map { ($0, answer) } }
        waiting -= answered.count
        return answered
    }

    /// - Returns: jobs that wait no longer, since they have waited for so many milliseconds, and whether they have been
    ///   asked for: then they may be claimed, or be so later.
    mutating func overdue(chunks: Int, others: Int, now: Timestamp) -> [(asked: Asked, mayBeClaimed: Bool)] {
        func isOverdue(_ asked: Asked) -> Bool {
            now.milliseconds - asked.since.milliseconds >= Int64(asked.claim.rule == .chunk ? chunks : others)
        }
        let overdue =
            (asking?.jobs ?? []).compactMap(\.self).filter(isOverdue).map { ($0, true) }
            + gathering.filter(isOverdue).map { ($0, false) }
        guard !overdue.isEmpty else { return [] }
        isDelayed = true
        if overdue.contains(where: { $0.0.claim.rule != .chunk }) { isAway = true }
        if let asking { self.asking = (asking.id, asking.jobs.map { $0.map(isOverdue) == true ? nil : $0 }) }
        gathering.removeAll(where: isOverdue)
        waiting -= overdue.count
        return overdue
    }
}
