import DeliveryPipeline
package import Foundations
import PushModel

/// A detector of problems of the database. It also lists the failures that the worker's components have reported.
struct DatabaseProblems {
    let facts: StatusFacts

    /// The problem that prevents the worker from renewing its row in `martlet.workers`, or an empty array if there is
    /// none.
    var link: [Problem] {
        switch facts.link.obstacle {
        case .away: [Problem(.databaseAway, "PostgreSQL does not answer this worker.")]
        case .failed(let error):
            [
                Problem(
                    .databaseAway, "This worker's row in martlet.workers cannot be written: \(error)",
                    subject: "martlet.workers")
            ]
        case .readOnly: [Problem(.databaseReadOnly, "PostgreSQL answers but accepts no writes.")]
        case .refused:
            [
                Problem(
                    .workersForbidden,
                    "This worker may not write its row in martlet.workers, so it assumes that no other worker runs.",
                    subject: "martlet.workers")
            ]
        case nil: []
        }
    }

    var all: [Problem] {
        var found: [Problem] = []
        if !facts.link.isKnown, facts.workingSeconds >= Problem.graceSeconds { found += link }
        if facts.counts.isMarkingDelayed {
            let pending = facts.counts.marksPending
            let place =
                pending > 0
                ? "\(Phrase.count(pending, "token")) pending in this worker, others in the broker"
                : "their outcomes wait in the broker"
            found.append(
                Problem(
                    .marksDelayed, "PostgreSQL has not marked dead tokens in time; \(place).",
                    subject: "martlet.device_tokens"))
        }
        let unclaimed = facts.minute["jobs_unclaimed"]
        if unclaimed > 0 {
            found.append(
                Problem(
                    .claimsUnanswered,
                    "\(Phrase.count(unclaimed, "job")) delayed in the last minute because PostgreSQL did not answer "
                        + "claims in time.",
                    subject: "martlet.claims"))
        }
        // If the database does not answer or accepts no writes, all other database failures are consequences and are
        // left out.
        let isExplained = !found.isEmpty && [.away, .readOnly].contains(facts.link.obstacle)
        let failures = facts.failures.map { Problem(of: $0, at: facts.name) }
        return found + failures.filter { !isExplained || $0.party != .database }
    }
}

extension Problem {
    /// Creates the problem for a failure that a component of the worker has reported.
    package init(of failure: OngoingFailures.Failure, at worker: String) {
        let kind = ProblemKind(rawValue: failure.event.name) ?? .unnamedFailure
        // A keyring file belongs to one machine, so the problems of keyrings name the worker.
        let isLocal = [.keyringUnread, .keyringOpensNothing].contains(kind)
        let text = "\(kind.failure ?? failure.event.name): \(failure.error)"
        self.init(
            kind, isLocal ? "\(worker): \(text)" : text, subject: isLocal ? worker : kind.table ?? "",
            // SQLSTATE 42501 means that the database user lacks a permission, which an operator must grant.
            party: kind.party == .database && failure.error.contains("42501") ? .ours : nil)
    }
}

extension ProblemKind {
    /// A sentence that names the failed action, or `nil` for kinds that no component reports as a failure.
    fileprivate var failure: String? {
        switch self {
        case .appsUnread: "Apps and credentials cannot be read"
        case .marksFail: "Dead tokens cannot be marked"
        case .claimsFail: "Jobs cannot be claimed"
        case .cancellationsUnread: "Cancellations cannot be read"
        case .deadTokensUnread: "Dead tokens cannot be read"
        case .lookUpsFail: "Tokens cannot be looked up"
        case .registrationsFail: "Tokens cannot be registered"
        case .refusalsUnrecorded: "Refusals cannot be recorded"
        case .databaseUncleared: "Old rows cannot be deleted"
        case .keyringUnread: "the keyring cannot be read"
        case .keyringOpensNothing: "the keyring opens no credential, so this worker consumes no jobs"
        case .tracesFail: "Traces cannot be sent"
        default: nil
        }
    }

    fileprivate var table: String? {
        switch self {
        case .appsUnread: "martlet.apps, martlet.credentials"
        case .marksFail, .lookUpsFail, .registrationsFail, .deadTokensUnread: "martlet.device_tokens"
        case .claimsFail: "martlet.claims"
        case .cancellationsUnread: "martlet.cancelled_jobs"
        case .refusalsUnrecorded: "martlet.refusals"
        default: nil
        }
    }
}
