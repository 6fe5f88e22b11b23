import PushModel
import Store

/// The explanation of a job that has no recorded outcome, rejection or cancellation.
extension JobFacts {
    /// Whether the database has no ledger.
    private var lacksLedger: Bool { ledger.map { $0.begin == nil } ?? false }

    private static let noLedger =
        "no ledger is kept ('martlet ledger' keeps one), so past outcomes are unknown"

    /// The first words of an explanation that gives a possible cause.
    var opening: String { lacksLedger ? Self.noLedger : "no outcome is recorded" }

    var uncertain: Explanation.Cause {
        var cause: String
        if ledger == nil || !blind.isEmpty {
            cause = lacksLedger ? Self.noLedger : "there is no record of it"
            cause += ", and some places could not be checked"
        } else if lacksLedger {
            cause = "\(Self.noLedger); \(alternatives(end: "it has ended"))"
        } else {
            cause = "there is no record of it: \(alternatives(end: endBeforeLedger))"
        }
        if let causesOfWaiting { cause += "; it waits \(causesOfWaiting)" }
        if let problems, !problems.isEmpty { cause += "; workers report: " + problems.joined(separator: " ") }
        return (cause, uncertainAdvice)
    }

    /// Returns a list of the possible states of the job, as text. The broker can't be asked for a particular job, so
    /// the number of waiting jobs proves nothing about this job.
    private func alternatives(end: String) -> String {
        let waiting = waiting ?? []
        let list = waiting.map { "\($0.messages) in \($0.queue)" }.joined(separator: ", ")
        let inBroker = waiting.isEmpty ? [] : ["it waits in the broker (\(list))"]
        let all = ["it never arrived"] + inBroker + ["\(ofWorkers)\(ofLedger)", end]
        return all.dropLast().joined(separator: ", ") + ", or \(end)"
    }

    private var endBeforeLedger: String {
        "it ended before "
            + (ledger?.begin?.first.map { "the ledger's first row, \($0.rfc3339)" }
                ?? "the ledger was started (the ledger has no rows yet)")
    }

    private var ofWorkers: String {
        guard let inHand, inHand > 0 else { return "a worker holds it" }
        return "a worker holds it (workers hold \(inHand) \(inHand == 1 ? "job" : "jobs"))"
    }

    /// The possibility that a running ledger has received the job's events but not yet written them, as text. It is
    /// empty if no ledger runs. The broker does not count such events.
    private var ofLedger: String {
        backlog?.isUnread == false ? ", the ledger has received it but not yet written it" : ""
    }

    /// The conditions under which the job would wait, as text. The value is `nil` if the job's app is known or there
    /// are no such conditions.
    private var causesOfWaiting: String? {
        guard case .unnamed? = app else { return nil }
        var causes: [String] = []
        if let pausedApps, !pausedApps.isEmpty { causes.append("if its app is paused (\(Self.few(pausedApps)))") }
        if let refusals, !refusals.isEmpty {
            causes.append("if its credential is refused (\(Self.few(refusals, separator: "; ")))")
        }
        return causes.isEmpty ? nil : causes.joined(separator: " or ")
    }

    private static func few(_ names: [String], separator: String = ", ") -> String {
        let most = 3
        let shown = names.prefix(most).joined(separator: separator)
        return names.count > most ? "\(shown) and \(names.count - most) more" : shown
    }

    private var uncertainAdvice: String {
        var advice: [String] = []
        if causesOfWaiting != nil {
            advice.append("Name its app with --app, which also checks the app's credentials.")
        }
        if let problems, !problems.isEmpty { advice.append("'martlet doctor' shows advice for each problem.") }
        if !blind.isEmpty || ledger == nil { advice.append("The table shows why; then run this command again.") }
        if advice.isEmpty, let waiting, !waiting.isEmpty {
            advice.append(
                "Jobs in a delay queue are scheduled, wait for a rate or a credential, or are retried later. Result "
                    + "events and marks that could not be written wait there, too.")
        }
        if advice.isEmpty {
            advice.append("Check the id, and that its publisher waits for the broker's confirm.")
            if !lacksLedger { advice.append(Self.unkept) }
        }
        return advice.joined(separator: " ")
    }

    static let unkept =
        "If the job has results: problems, the ledger has none of its accepted pushes. If ledger.sent is not all, the "
        + "ledger has only some accepted pushes, or none."
}
