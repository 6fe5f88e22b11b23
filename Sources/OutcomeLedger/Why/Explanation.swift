import PushModel
import Routing
import Store

/// An explanation of what happened to a job or to one of its recipients. It contains the first cause that applies and
/// the results of all checks.
package struct Explanation: Encodable {
    /// A cause, and the advice for the operator. The advice is `nil` if there is none.
    typealias Cause = (String, String?)

    package struct Check: Encodable {
        package let what, found: String
    }

    package let job: String
    /// Whether an outcome, a rejection or a cancellation of the job is recorded.
    package let found: Bool
    package let cause: String
    package let advice: String?
    package let checked: [Check]

    /// Creates an explanation from the first row of this table that applies.
    ///
    /// | condition | cause in the explanation |
    /// |---|---|
    /// | an outcome is recorded | the outcome |
    /// | the job is dead-lettered, or recorded as rejected | the reason for the rejection |
    /// | the job is cancelled | the time of the cancellation |
    /// | events wait in the ledger's queue | the number of events, because the outcome may be in one of them |
    /// | only other recipients of the job have outcomes | the number of these outcomes |
    /// | the app is unknown, paused, refused or without a credential | the state of the app, as a possible cause |
    /// | the token is dead | the time and reason of its death, as a possible cause |
    /// | the app has a rate limit, and messages may wait in the broker | the rate limit, as a possible cause |
    /// | none of the above | all possible causes, with paused apps, refused credentials and open problems |
    ///
    /// In the rows after the cancellation, the outcome is unknown. If the database has no ledger, a possible cause
    /// begins with a note about it. Apps, tokens and rate limits are checked as they are now, which may differ from
    /// their state at the time of the job.
    package init(_ facts: JobFacts) {
        job = facts.job
        checked = CheckFormatter(facts: facts).checks
        let certain = facts.outcome ?? facts.rejection ?? facts.cancelled
        found = certain != nil
        (cause, advice) =
            certain ?? facts.ofBacklog ?? facts.ofOthers ?? facts.ofApp ?? facts.ofToken ?? facts.ofRate
            ?? facts.uncertain
    }
}

extension JobFacts {
    fileprivate typealias Cause = Explanation.Cause

    /// The recorded outcome as a cause, or `nil` if no outcome is recorded. The text also mentions a rejection, because
    /// a second job with the same id but different content may have been rejected.
    fileprivate var outcome: Cause? {
        ofOutcome.map { ($0.0 + (rejected("; a job with this id").map(\.0) ?? ""), $0.1) }
    }

    private var ofOutcome: Cause? {
        guard let ledger else { return nil }
        let outcomes = ledger.rows.filter { $0.kind != LedgerKind.rejection }
        if asksOne, let last = outcomes.first {
            return reported(last.cause(others: outcomes.count - 1), because: [last.reason])
        }
        let sums = ledger.sums.filter { $0.kind != LedgerKind.rejection }
        guard !asksOne, !sums.isEmpty else { return nil }
        let total = sums.reduce(0) { $0 + $1.count }
        let parts = sums.prefix(10).map { sum in "\(sum.count) \(sum.kind)\(sum.reason.map { " (\($0))" } ?? "")" }
        let last = sums.map(\.last).max()?.rfc3339 ?? ""
        return reported(
            (
                "\(total) \(total == 1 ? "outcome is" : "outcomes are") recorded, the last at \(last): "
                    + parts.joined(separator: ", "),
                "To see a single recipient, add --ref or --token."
            ), because: sums.map(\.reason))
    }

    /// Returns the cause with the current faults of the app added, if the reason was a missing or unusable credential.
    private func reported(_ cause: Cause, because reasons: [String?]) -> Cause {
        let isOfApp = reasons.contains { $0 == "NoCredential" || $0 == "CredentialUnusable" }
        guard isOfApp, let first = appFaults.first else { return cause }
        return (cause.0 + "; now " + appFaults.words, first.todo ?? cause.1)
    }

    /// The faults of the app that affect the job. If the job's output is not known, faults count only if they affect
    /// every output of the app.
    private var appFaults: [AppFault] {
        guard case .known(let app, let faults) = app else { return [] }
        if let output { return faults.filter { [nil, output].contains($0.output) } }
        let outputs = Set(faults.map(\.output))
        return outputs.contains(nil) || app.accounts.keys.allSatisfy { outputs.contains($0) } ? faults : []
    }

    /// The events in the ledger's queue as a cause, or `nil` if there are none. The outcome may be in one of these
    /// events.
    fileprivate var ofBacklog: Cause? {
        guard let backlog, backlog.events > 0 else { return nil }
        let events = "\(backlog.events) \(backlog.events == 1 ? "event waits" : "events wait") in \(backlog.queue)"
        return (
            "the ledger \(backlog.isUnread ? "is not running" : "is behind"): \(events); the outcome may be in one of them",
            backlog.isUnread ? "Start 'martlet ledger', then try again." : "Try again in a moment."
        )
    }

    fileprivate var rejection: Cause? { rejected("the job") }

    private func rejected(_ job: String) -> Cause? {
        if case .some(.some(let dead)) = dead {
            return (
                "\(job) was rejected and is in the dead-letter queue: \(dead.reason)",
                DeadAdvice.text(on: self.job, dead.reason)
            )
        }
        guard let row = ledger?.rows.first(where: { $0.kind == LedgerKind.rejection }) else { return nil }
        let isGone = if case .some(.none) = dead { true } else { false }
        return (
            "\(job) was rejected at \(row.at.rfc3339): \(row.reason ?? "") \(row.detail ?? "")",
            isGone
                ? "The job is no longer in the dead-letter queue, because it was replayed or dropped."
                : DeadAdvice.text(on: self.job, "\(row.reason ?? ""): \(row.detail ?? "")")
        )
    }

    fileprivate var cancelled: Cause? {
        guard case .some(.some(let cancellation)) = cancellation else { return nil }
        return (
            "the job was cancelled at \(cancellation.at.rfc3339) by \(cancellation.by)",
            "'martlet job cancel --undo \(job)' restores what is still in the broker."
        )
    }

    fileprivate var ofOthers: Cause? {
        guard asksOne, let count = ledger?.sums.reduce(0, { $0 + $1.count }), count > 0 else { return nil }
        return (
            "\(count == 1 ? "1 outcome of this job is" : "\(count) outcomes of this job are") recorded, but none of this recipient",
            "Check that the job was published with this ref or token. \(Self.unkept)"
        )
    }

    private var pauseDetails: String {
        guard let details = pause?.details, !details.isEmpty else { return "" }
        return " (\(details))"
    }

    fileprivate var ofApp: Cause? {
        switch app {
        case .unknown(let name):
            (
                "\(opening); the app \(name) is not registered now, and jobs of unregistered apps are dead-lettered",
                "Register it with 'martlet app set'."
            )
        case .known(let app, _) where app.isPaused:
            (
                "\(opening); the app \(app.bundleID) is paused now\(pauseDetails), and its jobs wait",
                "Resume it with 'martlet app set \(app.bundleID) --no-paused'."
            )
        case .known(let app, _) where !appFaults.isEmpty:
            (
                "\(opening); now " + appFaults.words,
                appFaults[0].todo ?? "'martlet app show \(app.bundleID)' lists the credentials that were considered."
            )
        case .known, .unnamed, nil: nil
        }
    }

    fileprivate var ofRate: Cause? {
        guard case .known(let app, _) = app, let rate = app.pace?.rate, waiting?.isEmpty != true else { return nil }
        let urgent = app.pace?.includesUrgent == true ? "in all lanes" : "except in the urgent lane"
        return (
            "\(opening); the app \(app.bundleID) is limited to \(rate) pushes per second \(urgent), so its jobs may "
                + "wait",
            "'martlet app set \(app.bundleID) --rate none' removes the limit. A lower rate of the job's own still applies."
        )
    }

    fileprivate var ofToken: Cause? {
        guard let dead = tokens?.filter({ $0.unregisteredAt != nil }).max(by: { $0.died < $1.died }) else { return nil }
        return (
            "\(opening); the token has been dead since \(dead.died.rfc3339)\(dead.reason.map { " (\($0))" } ?? "")",
            "Pushes to it are not sent. When the app starts again and registers a new token, publish it with registered_at, "
                + "or run 'martlet token register'."
        )
    }
}

package enum LedgerKind {
    package static let rejection = "job.rejected"
}

extension DeviceToken {
    fileprivate var died: Timestamp { unregisteredAt ?? Timestamp(seconds: 0) }
}

extension LedgerRow {
    /// Returns the cause and the advice for a recorded outcome.
    ///
    /// - Parameter others: the number of earlier outcomes that are recorded for the same recipient.
    fileprivate func cause(others: Int) -> (String, String?) {
        let again =
            others == 0 ? "" : "; \(others) earlier \(others == 1 ? "outcome is" : "outcomes are") recorded for it"
        let why = [reason, detail].compactMap { $0 }
        let because = why.isEmpty ? "" : ": " + why.joined(separator: ", ")
        let (what, advice) = sentence
        let id = providerID.map { ", with id \($0)" } ?? ""
        let attempts = attempts == 1 ? "" : " after \(attempts) attempts"
        return ("\(what) at \(at.rfc3339)\(attempts)\(id)\(because)\(again)", advice)
    }

    private var sentence: (String, String?) {
        let provider = output ?? "the provider"
        return switch Told(rawValue: kind) {
        case .sent:
            (
                "\(provider) accepted the push",
                "Check that the device is online, that the app may show notifications, and that the push did not expire "
                    + "and was not replaced by another one."
            )
        case .unregistered:
            ("\(provider) reported the token as dead", "Delete it, unless the app has registered it again since.")
        case .suppressed:
            ("it was not sent (the token is marked dead)", "Delete it, unless the app has registered it again since.")
        case .rejected:
            ("it was permanently rejected", "Look up the reason in docs/errors.md, then publish a corrected job.")
        case .failed: ("it failed and was not accepted", "Look up the reason in docs/errors.md, then publish it again.")
        case .unknown:
            ("it may have been accepted (the answer was lost)", "Publish it again only if a duplicate does no harm.")
        case .expired:
            (
                "it expired (no attempt was possible before its deadline)",
                "Set a later deadline, or find out what delayed it."
            )
        case nil: ("it ended as \(kind)", nil)
        }
    }
}

private enum Told: String {
    case sent, unregistered, suppressed, rejected, failed, unknown, expired
}
