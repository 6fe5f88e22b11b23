/// Whether a run held what is promised: a function of what was recorded.
package struct Verdict: Sendable {
    /// What is not wrong, and worth a number.
    package struct Tally: Sendable, Equatable {
        package var jobs = 0
        package var recipients = 0
        package var unconfirmedJobs = 0
        package var jobsMaybePublishedTwice = 0
        package var atMostOnceRecipients = 0
        /// By kind, and by what the recipient was.
        package var outcomes: [String: Int] = [:]
        package var redeliveredOutcomes = 0
        package var repeatedEvents = 0
        package var recipientsWithSeveralOutcomes = 0
        package var recipientsWithSeveralArrivals = 0
        package var requests = 0
        package var duplicateBound = 0
    }

    package private(set) var findings: [Finding] = []
    package private(set) var tally = Tally()

    package var isGood: Bool { findings.isEmpty }

    package init(_ record: TortureRecord) {
        let (histories, strays) = record.histories()
        let sorted = histories.values.sorted { $0.recipient < $1.recipient }
        let disturbances = Disturbances(record.faults, limits: record.limits)
        count(record, sorted, disturbances)
        for history in sorted { judge(history, disturbances, record.marked) }
        judgeWhole(record, disturbances)
        findings += (strays + record.oddities).map { Finding(.understood, nil, $0) }
        findings += MemoryJudge.findings(record.memory, limitMegabytes: record.limits.memoryMegabytes)
    }

    package func count(of invariant: Invariant) -> Int { findings.count { $0.invariant == invariant } }

    private mutating func count(_ record: TortureRecord, _ histories: [History], _ disturbances: Disturbances) {
        tally.jobs = record.jobs.count
        tally.recipients = histories.count
        tally.unconfirmedJobs = record.jobs.values.count { $0.confirmed == nil }
        tally.jobsMaybePublishedTwice = record.jobs.values.count { $0.isMaybeTwice }
        tally.atMostOnceRecipients = histories.count { $0.job.isAtMostOnce }
        for history in histories {
            for outcome in history.distinct {
                tally.outcomes["\(outcome.kind) (\(history.kind.rawValue))", default: 0] += 1
            }
        }
        tally.redeliveredOutcomes = record.outcomes.count { $0.isRedelivered && !$0.isRepeated }
        tally.repeatedEvents = Set(record.outcomes.filter(\.isRepeated).map(\.event)).count
        tally.recipientsWithSeveralOutcomes = histories.count { $0.distinct.count > 1 }
        tally.recipientsWithSeveralArrivals = histories.count { $0.possibleAcceptances > 1 }
        tally.requests = record.sightings.count { $0.what == .arrived }
        tally.duplicateBound = disturbances.duplicateBound
    }

    private mutating func find(_ invariant: Invariant, _ history: History, _ text: String) {
        findings.append(Finding(invariant, history.recipient, text))
    }

    private mutating func judge(_ history: History, _ disturbances: Disturbances, _ marked: Set<RecipientID>) {
        if history.isConfirmed, history.outcomes.isEmpty { find(.nothingLost, history, "no outcome") }
        for outcome in history.distinct {
            if let lie = Self.lie(in: outcome, history) { find(.honest, history, lie) }
            if outcome.kind == "failed", outcome.reason != "RetriesExhausted" {
                find(.credentialsHold, history, "failed: \(outcome.reason ?? "no reason")")
            }
        }
        judgeOutcomes(of: history, disturbances)
        judgeArrivals(of: history)
        let isDead = history.outcomes.contains { $0.kind == "unregistered" }
        if isDead, !marked.contains(history.recipient) { find(.deadAreMarked, history, "unregistered, not marked") }
        if marked.contains(history.recipient), history.kind != .dead, history.kind != .bad {
            find(.deadAreMarked, history, "marked dead, but it is \(history.kind.rawValue)")
        }
    }

    private mutating func judgeOutcomes(of history: History, _ disturbances: Disturbances) {
        let distinct = history.distinct
        if distinct.count > 1, !history.job.isMaybeTwice {
            let silent = distinct.count { !$0.isRedelivered }
            if silent > 1 {
                find(.duplicatesOwnUp, history, "\(distinct.count) outcomes, \(silent) of them not 'redelivered'")
            }
            let last = distinct.map(\.received).max() ?? 0
            if !disturbances.mayRedeliver(from: history.job.published, to: last) {
                find(.duplicatesExplained, history, "\(distinct.count) outcomes, and nothing happened")
            }
        }
        for outcome in history.outcomes where outcome.isRepeated {
            if !disturbances.mayRedeliver(from: history.job.published, to: outcome.received) {
                find(.repeatedEventsExplained, history, "event \(outcome.event) came again, and nothing happened")
            }
        }
    }

    private mutating func judgeArrivals(of history: History) {
        let possible = history.possibleAcceptances
        guard possible > 1 else { return }
        if history.job.isAtMostOnce {
            let excuse = history.job.isMaybeTwice ? " (its publisher may have published the job twice)" : ""
            find(.atMostOnce, history, "\(possible) requests that may have been accepted\(excuse)")
        }
        if !history.isSaidToBeRepeated, !history.job.isMaybeTwice, !history.outcomes.isEmpty {
            find(
                .arrivalsExplained, history, "\(possible) requests that may have been accepted, and no outcome says so")
        }
    }

    /// What an outcome says that is not so.
    private static func lie(in outcome: OutcomeRecord, _ history: History) -> String? {
        // Of a job that ran twice, an outcome tells of its own run only, and says that there was another.
        let isAlone = !outcome.isRedelivered && history.distinct.count == 1 && !history.job.isMaybeTwice
        return switch outcome.kind {
        case "sent": history.acceptances > 0 ? nil : "sent, and APNs accepted nothing"
        case "unregistered": history.kind == .dead ? nil : "unregistered, but it is \(history.kind.rawValue)"
        case "rejected":
            history.kind == .bad ? nil : "rejected (\(outcome.reason ?? "")), but it is \(history.kind.rawValue)"
        case "failed", "expired":
            isAlone && history.acceptances > 0 ? "\(outcome.kind), and APNs had accepted it" : nil
        case "suppressed":
            // Marked by an outcome before, whose worker may have died before it could tell.
            [.dead, .bad].contains(history.kind) && !isAlone ? nil : "suppressed, but it is \(history.kind.rawValue)"
        case "unknown": nil
        default: "the kind \(outcome.kind) does not exist"
        }
    }

    private mutating func judgeWhole(_ record: TortureRecord, _ disturbances: Disturbances) {
        let duplicates = max(tally.recipientsWithSeveralOutcomes, tally.recipientsWithSeveralArrivals)
        if duplicates > disturbances.duplicateBound {
            findings.append(
                Finding(.duplicatesBounded, nil, "\(duplicates) recipients, at most \(disturbances.duplicateBound)"))
        }
        for (queue, count) in record.waiting.sorted(by: { $0.key < $1.key }) where count > 0 {
            findings.append(Finding(.queuesEmpty, nil, "\(count) messages in \(queue)"))
        }
        findings += record.dead.map { Finding(.nothingDeadLettered, nil, $0) }
        for end in record.workerEnds where !end.isFine {
            let how = end.wasAsked ? "was told to stop and" : "was not told to stop and"
            findings.append(
                Finding(.workersLive, nil, "worker \(end.worker) \(how) ended with \(end.status): \(end.log)"))
        }
        if !record.isSettled { findings.append(Finding(.settled, nil, "time was up")) }
    }
}

extension WorkerEnd {
    /// One that still waits for the database has nothing to drain: SIGTERM ends it as any process.
    fileprivate var isFine: Bool { wasAsked && (status == 0 || !wasRunning && status == 128 + 15) }
}
