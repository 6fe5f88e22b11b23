package import PushModel

/// The statistics of a run.
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
    /// The number of recipients whose job was cancelled so early that workers must not send any request.
    package var cancelledInTime = 0
    package var deadlineRecipients = 0
    /// The time from `send_at` to the first request in milliseconds, for each recipient of a job with `send_at`. The
    /// list is in ascending order.
    package var lateness: [Int64] = []
    /// The number of outcomes for each pair of an outcome's kind and a recipient's kind.
    package var outcomes: [String: Int] = [:]
    package var redeliveredOutcomes = 0
    package var repeatedEvents = 0
    package var recipientsWithSeveralOutcomes = 0
    package var recipientsWithSeveralArrivals = 0
    /// The statistics of each output.
    package var byOutput: [OutputKind: OutputTally] = [:]
    package var duplicates = DuplicateTally()
    /// The times in each lane while no fault has effects.
    package var lanes: [Lane: LaneTally] = [:]
    /// The number of jobs with unmarked duplicates that a broker cluster may have caused.
    package var jobsCopiedByBroker = 0
    package var jobsWithARate = 0
    /// The number of requests in the fullest window of each rate-limited app, in percent of the maximum.
    package var fullestWindows: [String: Int] = [:]
    /// The number of requests in the emptiest window of each last campaign, in percent of the number that the app's
    /// rate allows.
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
    }
}

extension JobRecord {
    /// Returns whether every worker knew of the cancellation before the job could be sent.
    func isCancelledInTime(_ disturbances: Disturbances) -> Bool {
        guard let cancelled, let sendAt else { return false }
        return disturbances.isKnown(since: cancelled, at: sendAt)
    }
}
