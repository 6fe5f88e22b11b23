extension Verdict {
    /// The maximum delay of a push after `send_at` in a run without faults, in milliseconds. It allows one second for
    /// the delay queue (docs/publish.md) and one second for a busy machine.
    private static let onTime: Int64 = 2_000
    /// The maximum time from a worker's check of the deadline to the arrival of the request on a busy machine, in
    /// milliseconds.
    private static let onItsWay: Int64 = 2_000

    private mutating func find(_ invariant: Invariant, _ history: History, _ text: String) {
        findings.append(Finding(invariant, history.recipient, text))
    }

    /// Records a repetition that no outcome reports as possible. If the broker may have copied the job, the repetition
    /// becomes a finding only if there are too many such jobs.
    private mutating func findRepetition(
        _ invariant: Invariant, _ history: History, _ text: String, _ disturbances: Disturbances
    ) {
        guard disturbances.mayCopy(from: history.job.published, to: history.end) else {
            return find(invariant, history, text)
        }
        copies.append(Finding(invariant, history.recipient, text))
    }

    /// Judges the history of one recipient.
    ///
    /// - Parameter isRejected: whether a result event reported the job as rejected.
    mutating func judge(
        _ history: History, _ disturbances: Disturbances, _ record: TortureRecord, isRejected: Bool = false
    ) {
        let wasSentUntold = history.job.traits.wantsProblemsOnly && history.acceptances > 0
        let wasDropped = history.job.traits.slip == .expiration && isRejected
        if history.isConfirmed, history.outcomes.isEmpty, !wasSentUntold, !wasDropped {
            find(.nothingLost, history, "no outcome")
        }
        for outcome in history.distinct {
            if let lie = Self.lie(in: outcome, history, disturbances, record.limits) { find(.honest, history, lie) }
            if outcome.kind == "failed",
                !["RetriesExhausted", "Cancelled", BatchReceiver.reason].contains(outcome.reason)
            {
                find(.credentialsHold, history, "failed: \(outcome.reason ?? "no reason")")
            }
        }
        judgeOutcomes(of: history, disturbances)
        let first = history.distinct.count { !$0.isRedelivered }
        if history.mayRunTwice, first > history.job.mostRuns(record.limits) {
            find(
                .notMultiplied, history,
                "\(first) outcomes without 'redelivered', at most \(history.job.mostRuns(record.limits)) messages")
        }
        judgeArrivals(of: history, disturbances)
        judgeTime(of: history, disturbances, isCalm: record.faults.isEmpty)
        findings += ServiceJudge.findings(
            history, isMarked: record.marked.contains(history.recipient), disturbances, record.limits)
    }

    private mutating func judgeOutcomes(of history: History, _ disturbances: Disturbances) {
        let distinct = history.distinct
        if distinct.count > 1, !history.mayRunTwice {
            let silent = distinct.count { !$0.isRedelivered && !history.isUnasked($0) }
            if silent > 1 {
                findRepetition(
                    .duplicatesAreMarked, history,
                    "\(distinct.count) outcomes, \(silent) of them without 'redelivered'",
                    disturbances)
            }
        }
    }

    private mutating func judgeArrivals(of history: History, _ disturbances: Disturbances) {
        let possible = history.possibleAcceptances
        guard possible > 1 else { return }
        if history.job.traits.isAtMostOnce {
            let excuse = history.job.isMaybeTwice ? " (its publisher may have published the job twice)" : ""
            find(.atMostOnce, history, "\(possible) requests that may have been accepted\(excuse)")
        }
        // DuplicateJudge judges requests that an outcome explains, and those of jobs whose `sent` outcomes are not reported.
        guard !history.isSaidToBeRepeated, !history.mayRunTwice, !history.job.traits.wantsProblemsOnly,
            !history.outcomes.isEmpty
        else { return }
        findRepetition(
            .arrivalsExplained, history, "\(possible) requests that may have been accepted; no outcome shows it",
            disturbances)
    }

    private mutating func judgeTime(of history: History, _ disturbances: Disturbances, isCalm: Bool) {
        if let lateness = history.lateness {
            if lateness < 0 { find(.neverEarly, history, "\(-lateness) ms before send_at") }
            if isCalm, lateness > Self.onTime, history.job.traits.rate == nil {
                find(.onTime, history, "\(lateness) ms after send_at")
            }
        }
        if let expiresAt = history.job.expiresAt, expiresAt > 0 {
            let due = expiresAt + Self.onItsWay
            for sighting in history.sightings where sighting.what == .arrived && sighting.at > due {
                guard !disturbances.mayHoldUp(history.job.output, from: expiresAt, to: sighting.at) else { continue }
                find(.neverLate, history, "\(sighting.at - expiresAt) ms after its deadline, not held up by a fault")
            }
        }
        findings += CancellationJudge.findings(history, disturbances)
    }

    /// Returns the reason why a push cannot have expired, or `nil` if it can. Delays and deadlines are compared in
    /// seconds.
    private static func haste(of outcome: OutcomeRecord, _ history: History, _ limits: Limits) -> String? {
        guard let expiresAt = history.job.expiresAt else { return "expired without a deadline" }
        let early = expiresAt - limits.longestDelay - 1_000 - outcome.at
        return early > 0 ? "expired \(early) ms before the worker could know it" : nil
    }

    /// Returns a description of a false statement in an outcome, or `nil` if the outcome is true.
    private static func lie(
        in outcome: OutcomeRecord, _ history: History, _ disturbances: Disturbances, _ limits: Limits
    ) -> String? {
        // If workers processed a job twice, an outcome describes only one of the two runs. The outcome of the second
        // run has `redelivered`, but workers do not report it if it is a disabled `sent` outcome.
        let isUnreported =
            history.job.traits.wantsProblemsOnly
            && disturbances.mayRedeliver(from: history.job.published, to: outcome.received)
        let isAlone =
            !outcome.isRedelivered && history.distinct.count == 1 && !history.mayRunTwice && !isUnreported
        return switch outcome.kind {
        case "sent" where history.job.traits.wantsProblemsOnly: "sent, although the job disabled sent outcomes"
        case "sent": history.acceptances > 0 ? nil : "sent, but its service accepted nothing"
        case "unregistered": history.kind == .dead ? nil : "unregistered, but it is \(history.kind.rawValue)"
        case "rejected":
            history.kind == .bad || history.isMismatch(outcome)
                ? nil : "rejected (\(outcome.reason ?? "")), but it is \(history.kind.rawValue)"
        case "failed" where outcome.reason == "Cancelled" && history.job.traits.cancelAfter == nil:
            "Cancelled, but the job was not cancelled"
        case "failed" where outcome.reason == BatchReceiver.reason && history.kind != .bad:
            "failed at its receiver, but it is \(history.kind.rawValue)"
        case "failed", "expired":
            if isAlone, history.acceptances > 0 {
                "\(outcome.kind), but its service had accepted it"
            } else if outcome.kind == "expired" {
                haste(of: outcome, history, limits)
            } else {
                nil
            }
        case "suppressed":
            // A worker may have marked the recipient as dead, and died before it reported the outcome.
            history.kind == .dead && !isAlone ? nil : "suppressed, but it is \(history.kind.rawValue)"
        case "unknown": nil
        default: "the kind \(outcome.kind) does not exist"
        }
    }
}
