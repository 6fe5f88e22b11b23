/// What is not wrong in a run, and worth a number.
package struct Tally: Sendable, Equatable {
    package var jobs = 0
    package var recipients = 0
    package var unconfirmedJobs = 0
    package var jobsMaybePublishedTwice = 0
    package var jobsPublishedTwice = 0
    package var unusableJobs = 0
    package var deadLettered = 0
    package var atMostOnceRecipients = 0
    package var problemsOnlyRecipients = 0
    package var cancelledRecipients = 0
    /// Of these: so early that no request may have been made.
    package var cancelledInTime = 0
    package var deadlineRecipients = 0
    /// Milliseconds from its time to its first request, of each recipient of a scheduled job; the smallest first.
    package var lateness: [Int64] = []
    /// By kind, and by what the recipient was.
    package var outcomes: [String: Int] = [:]
    package var redeliveredOutcomes = 0
    package var repeatedEvents = 0
    package var recipientsWithSeveralOutcomes = 0
    package var recipientsWithSeveralArrivals = 0
    package var byOutput: [OutputKind: OutputTally] = [:]
    package var duplicateBound = 0
    package var jobsWithARate = 0
    /// Of each paced app: its fullest window, in percent of what it may have held.
    package var fullestWindows: [String: Int] = [:]
    /// Of each one's last campaign: the emptiest window while much of it waited, in percent of its rate.
    package var emptiest: [String: Int] = [:]

    init() {}

    init(_ record: TortureRecord, _ histories: [History], _ disturbances: Disturbances) {
        jobs = record.jobs.count
        recipients = histories.count
        unconfirmedJobs = record.jobs.values.count { $0.confirmed == nil }
        jobsMaybePublishedTwice = record.jobs.values.count { $0.isMaybeTwice }
        jobsPublishedTwice = record.jobs.values.count { $0.traits.publishAgainAfter != nil }
        jobsWithARate = record.jobs.values.count { $0.traits.rate != nil }
        unusableJobs = record.jobs.values.count { $0.traits.flaw != nil }
        deadLettered = record.dead.count
        atMostOnceRecipients = histories.count { $0.job.traits.isAtMostOnce }
        problemsOnlyRecipients = histories.count { $0.job.traits.wantsProblemsOnly }
        cancelledRecipients = histories.count { $0.job.cancelled != nil }
        cancelledInTime = histories.count { $0.job.isCancelledInTime(disturbances) }
        deadlineRecipients = histories.count { $0.job.expiresAt != nil }
        lateness = histories.compactMap(\.lateness).sorted()
        for history in histories {
            for outcome in history.distinct {
                outcomes["\(outcome.kind) (\(history.kind.rawValue))", default: 0] += 1
            }
        }
        redeliveredOutcomes = record.outcomes.count { $0.isRedelivered && !$0.isRepeated }
        repeatedEvents = Set(record.outcomes.filter(\.isRepeated).map(\.event)).count
        recipientsWithSeveralOutcomes = histories.count { $0.distinct.count > 1 }
        recipientsWithSeveralArrivals = histories.count { $0.possibleAcceptances > 1 }
        for history in histories {
            byOutput[history.job.output, default: OutputTally()]
                .add(history, isMarked: record.marked.contains(history.recipient))
        }
        // What is never answered is tried again without anything going wrong.
        duplicateBound = disturbances.duplicateBound + histories.count { $0.mayRunTwice || $0.kind == .silent }
    }
}

extension JobRecord {
    /// Every worker knew that it was cancelled before it could be sent.
    func isCancelledInTime(_ disturbances: Disturbances) -> Bool {
        guard let cancelled, let sendAt else { return false }
        return disturbances.isKnown(since: cancelled, at: sendAt)
    }
}
