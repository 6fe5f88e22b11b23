import DeliveryPipeline
import PushModel
import Store

extension Finding {
    /// A worker has just been started: connections come about one after the other.
    static let graceSeconds = 15
    /// A job that is open for longer is not going to be done in the ordinary course of things.
    static let longestOpenSeconds = 300
    /// Fewer pushes that were put back are no outage.
    static let fewestRetries = 10
    static let daysAhead = 14
    /// The log tells of the same once a minute.
    static let attemptSeconds: Int64 = 120

    /// What is wrong, the first thing to look at first; empty: nothing.
    package static func all(of facts: StatusFacts) -> [Finding] {
        var found: [Finding] = []
        if case .waiting(let reason) = facts.stage {
            if reason.hasPrefix(StatusFacts.waitsForDatabase) {
                found.append(
                    Finding(
                        .database, "This worker has not begun: it is \(reason)",
                        todo: "Look at PostgreSQL and at the way to it. The worker tries again by itself."))
            }
            return found
        }
        found += ofDatabase(facts) + ofBroker(facts) + ofOurs(facts) + ofProvider(facts) + ofOthers(facts)
        found += [facts.unclaimed, facts.kept, facts.unreadable, facts.silent.finding].compactMap(\.self)
        let order = Fault.allCases
        return found.enumerated().sorted { left, right in
            func rank(_ item: (offset: Int, element: Finding)) -> (Int, Int, Int) {
                (
                    item.element.weight == .trouble ? 0 : 1, order.firstIndex(of: item.element.fault) ?? 0, item.offset
                )
            }
            return rank(left) < rank(right)
        }.map(\.element)
    }

    private static func ofDatabase(_ facts: StatusFacts) -> [Finding] {
        guard !facts.link.isKnown, facts.workingSeconds >= graceSeconds else { return [] }
        switch facts.link.obstacle {
        case .away:
            return [
                Finding(
                    .database, "PostgreSQL does not answer this worker.",
                    todo: "Pushes go on with the credentials it knows; dead tokens and jobs to be sent once wait. "
                        + "Look at the server, the way to it, and the last problems below.")
            ]
        case .refused:
            return [
                Finding(
                    .ours, .notice,
                    "This worker may not write its row of martlet.workers, so it counts as the only one.",
                    todo: "Run `martlet migrate` as the schema's owner; `martlet doctor` says which right is missing.")
            ]
        case nil: return []
        }
    }

    private static func ofBroker(_ facts: StatusFacts) -> [Finding] {
        var found: [Finding] = []
        if facts.workingSeconds >= graceSeconds, !facts.view.isDraining {
            if !facts.counts.isConsuming {
                found.append(
                    Finding(
                        .broker, "This worker gets no jobs: a connection to RabbitMQ is not open.",
                        todo:
                            "Look at RabbitMQ, at the user's permissions, and at what it answered: the last problems below."
                    ))
            }
            if !facts.counts.isPublishing {
                found.append(
                    Finding(
                        .broker, "RabbitMQ takes no messages from this worker: it is away, or blocks publishers.",
                        todo:
                            "Look for an alarm of memory or disk (`rabbitmq-diagnostics alarms`). Jobs stay with the worker until then."
                    ))
            }
        }
        if facts.counts.isPublishing, facts.counts.unconfirmedSeconds >= graceSeconds {
            found.append(
                Finding(
                    .broker,
                    "RabbitMQ does not confirm: what was published "
                        + "\(Phrase.duration(facts.counts.unconfirmedSeconds)) ago is not safe yet.",
                    todo:
                        "Look at its disks, and for quorum queues without a majority. Outcomes are told, and jobs done, "
                        + "once it does."))
        }
        let refused = facts.minute.refused.filter { $0.key != facts.resultsExchange }
        if !refused.isEmpty {
            found.append(
                Finding(
                    .broker,
                    "RabbitMQ refused \(Phrase.count(refused.values.reduce(0, +), "message")) in the last minute: "
                        + refused.keys.sorted().joined(separator: ", ") + ".",
                    todo: "Look for a policy with reject-publish, or a length limit, on Martlet's own queues."))
        }
        return found
    }

    private static func ofOurs(_ facts: StatusFacts) -> [Finding] {
        var found: [Finding] = []
        if !facts.openingProblems.isEmpty {
            found.append(
                Finding(
                    .ours, "Credentials can't be opened: \(facts.openingProblems.sorted().joined(separator: "; "))",
                    todo: "Give this worker the master key that they are sealed under."))
        }
        let held = facts.minute["jobs_held"]
        if held > 0 {
            let unroutable = facts.apps.filter { !$0.unroutable.isEmpty }
            found.append(
                Finding(
                    .ours, unroutable.isEmpty ? .notice : .trouble,
                    "\(Phrase.count(held, "job")) put back in the last minute: "
                        + "the app is paused, or has no credential that serves.",
                    todo: "See the apps below; `martlet app show` says what an app lacks."))
        } else if let lack = facts.apps.finding {
            found.append(lack)
        }
        if facts.counts.oldestJobSeconds > longestOpenSeconds {
            found.append(
                Finding(
                    .ours,
                    "A job has been here for \(Phrase.duration(facts.counts.oldestJobSeconds)) and is not settled.",
                    todo: "Mostly the broker or the database does not confirm: see the last problems below."))
        }
        let silent = facts.fleet.members.filter(\.isSilent)
        if !silent.isEmpty, facts.link.isKnown {
            found.append(
                Finding(
                    .ours, .notice,
                    "Not heard of any more: \(Phrase.list(silent.map(\.name))). They ended without a word.",
                    todo: "Look at why these processes ended. The broker delivers their jobs to the others."))
        }
        let hindered = facts.fleet.members.filter {
            !$0.isSilent && $0.report?.state == .hindered && $0.name != facts.name
        }
        if !hindered.isEmpty {
            found.append(
                Finding(
                    .ours, .notice, "Not ready: \(Phrase.list(hindered.map(\.name))).", todo: "Look at their own pages."
                ))
        }
        let expired = facts.credentials.filter { $0.state == .active && ($0.daysLeft(at: facts.now) ?? 0) < 0 }
        if !expired.isEmpty {
            found.append(
                Finding(
                    .ours, .notice, "Expired: \(Phrase.list(expired.map(\.name))).",
                    todo: "Import a new one and retire the old one, if that has not been done."))
        }
        let ending = facts.credentials.filter {
            $0.state == .active && (0..<daysAhead).contains($0.daysLeft(at: facts.now) ?? .max)
        }
        if !ending.isEmpty {
            found.append(
                Finding(
                    .ours, .notice, "Expires within \(daysAhead) days: \(Phrase.list(ending.map(\.name))).",
                    todo: "Renew it at the provider's, then `martlet credential import`."))
        }
        return found
    }

    private static func ofProvider(_ facts: StatusFacts) -> [Finding] {
        var found = facts.unreachable.finding.map { [$0] } ?? []
        let refused = facts.refusals.filter { !$0.isOfTokens }
        if !refused.isEmpty {
            let reasons = Set(refused.map(\.reason)).sorted()
            found.append(
                Finding(
                    .provider,
                    "A provider refuses \(Phrase.count(refused.count, "credential")): \(Phrase.list(reasons)).",
                    todo:
                        "Look the reason up in errors.md. Mend it at the provider's, or import another credential; pushes wait."
                ))
        }
        let retried = facts.minute["retried"]
        if retried >= fewestRetries, retried * 5 >= facts.minute.outcomes {
            let attempt = FailedAttempt.last(in: facts.problems, since: facts.now.seconds - attemptSeconds)
            let text = "\(Phrase.figure(retried)) pushes were put back in the last minute, to be tried again"
            found.append(
                Finding(
                    .provider, text + (attempt.map { "; connecting failed last to \($0.text)" } ?? "") + ".",
                    todo: attempt == nil
                        ? "A provider answers with errors or not at all: see its own status page. Nothing is lost."
                        : "`martlet credential check --all` tries to connect; else see the provider's own status page. "
                            + "Nothing is lost."))
        }
        return found
    }

    private static func ofOthers(_ facts: StatusFacts) -> [Finding] {
        var found: [Finding] = []
        if let refused = facts.minute.refused[facts.resultsExchange] {
            found.append(
                Finding(
                    .consumer,
                    "\(Phrase.count(refused, "event")) refused in the last minute: a results queue is full.",
                    todo: "Whoever owns that queue has to read it. Events are held and told again."))
        }
        let tokens = facts.refusals.filter(\.isOfTokens)
        if !tokens.isEmpty {
            found.append(
                Finding(
                    .publisher,
                    "Most device tokens are bad: \(Phrase.list(tokens.compactMap(\.topic))).",
                    todo: "Sandbox tokens are sent to production, or the reverse: mend `environment` in the jobs."))
        }
        let rejected = facts.minute["jobs_rejected"]
        if rejected > 0 {
            found.append(
                Finding(
                    .publisher, "\(Phrase.count(rejected, "job")) of the last minute can't be used.",
                    todo: "`martlet dead list` shows them, with reason and publisher."))
        }
        return found
    }
}

extension Refusal {
    /// Of an app's device tokens, and not of a credential.
    var isOfTokens: Bool { topic?.hasSuffix("(device tokens)") ?? false }
}

extension CredentialSummary {
    /// For people.
    var name: String { label.isEmpty ? id : label }
}
