import PushModel
import Routing
import Store

/// A formatter that lists the results of all checks as text, regardless of the cause that was found.
struct CheckFormatter {
    let facts: JobFacts

    var checks: [Explanation.Check] {
        var checks: [Explanation.Check] = []
        func add(_ what: String, _ found: String?) {
            if let found { checks.append(.init(what: what, found: found)) }
        }
        add("ledger", facts.ledger.map(Self.text))
        add(
            "ledger's queue",
            facts.backlog.map {
                "\($0.events) in \($0.queue), "
                    + ($0.isUnread ? "which has no consumer" : "without events that the ledger has received")
            })
        add("dead-letter queue", facts.dead.map { $0.map { "has the job: \($0.reason)" } ?? "does not have the job" })
        add("cancellations", facts.cancellation.map { $0.map { "cancelled at \($0.at.rfc3339)" } ?? "not cancelled" })
        add("app", facts.app.map(Self.text))
        add("paused apps", facts.pausedApps.map { $0.isEmpty ? "none" : $0.joined(separator: ", ") })
        add("refusals", facts.refusals.map { $0.isEmpty ? "none" : $0.joined(separator: "; ") })
        add("token", facts.tokens.map(Self.text))
        add(
            "queues",
            facts.waiting.map { waiting in
                waiting.isEmpty
                    ? "no messages wait"
                    : waiting.map { "\($0.messages) in \($0.queue)" }.joined(separator: ", ")
            })
        add("workers", facts.inHand.map { "\($0) \($0 == 1 ? "job" : "jobs") received and not finished" })
        for problem in facts.problems ?? [] { add("workers", problem) }
        for fault in facts.blind { add("not checked", fault) }
        return checks
    }

    private static func text(_ ledger: JobFacts.Ledger) -> String {
        guard let begin = ledger.begin else { return "does not exist" }
        let count = ledger.sums.reduce(0) { $0 + $1.count }
        let what =
            count > 0
            ? "\(count) of this job"
            : ledger.rows.isEmpty ? "none of this job" : "\(ledger.rows.count) of this recipient"
        return "\(begin.first.map { "outcomes since \($0.rfc3339)" } ?? "no outcomes yet"): \(what)"
    }

    private static func text(_ state: JobFacts.AppState) -> String {
        switch state {
        case .unnamed: "unknown; name it with --app"
        case .unknown(let name): "\(name) is not registered"
        case .known(let app, _) where app.isPaused: "\(app.bundleID) is paused"
        case .known(let app, let faults): "\(app.bundleID): " + (faults.isEmpty ? "pushes can be sent" : faults.words)
        }
    }

    private static func text(_ tokens: [DeviceToken]) -> String {
        tokens.isEmpty
            ? "no record, so pushes to it are sent"
            : tokens.map { token in
                "\(token.key.app) \(token.key.environment.rawValue): "
                    + (token.unregisteredAt.map { "dead since \($0.rfc3339)" } ?? "alive")
            }.joined(separator: ", ")
    }
}
