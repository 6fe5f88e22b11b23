import DeliveryPipeline
import PushModel
import Routing
import Store

/// A detector of problems of providers, and of the network paths to them.
struct ProviderProblems {
    let facts: StatusFacts

    /// The smallest number of retried pushes in a minute that is a problem.
    private static let fewest = 10
    /// The maximum age of a failed attempt in the log to count as recent, in seconds. The log repeats a failed attempt
    /// once per minute.
    private static let attemptSeconds: Int64 = 120
    /// The time after the end of a provider problem during which it still explains retried pushes, in seconds. It is
    /// the minute over which retried pushes are counted, plus the interval between two counts.
    private static let countedSeconds: Int64 = 62

    var all: [Problem] {
        var found = facts.unreachable.map { $0.problem(of: facts.receiver($0.output)) }
        found += RefusalProblems(facts: facts).all
        found += facts.poolTroubles.filter { !isExplainedByRefusal($0) }.map(problem)
        return found + retried(beside: found) + held(beside: found)
    }

    /// Returns whether answers count as rejections only because the provider refuses the credentials.
    private func isExplainedByRefusal(_ trouble: PoolTrouble) -> Bool {
        let refused = Set(facts.refusals.filter { !$0.isOfTokens }.map(\.credential))
        return trouble.kind == .rejecting && !trouble.names.isEmpty && refused.isSuperset(of: trouble.names)
    }

    private func problem(_ trouble: PoolTrouble) -> Problem {
        let credentials = facts.credentials.names
        let labels = trouble.names.map { credentials[$0] ?? $0 }.filter { !$0.isEmpty }
        let place = "\(trouble.output) \(trouble.environment)"
        let subject = labels.isEmpty ? place : "\(place) (\(Phrase.list(labels)))"
        let (concerned, answers) = (Phrase.figure(trouble.concerned), Phrase.figure(trouble.answers))
        let share = "\(concerned) of \(answers) answers in the last minute"
        let party = facts.receiver(trouble.output)
        switch trouble.kind {
        case .silent(let seconds):
            return Problem(
                .providerSilent,
                "\(subject): no answer for \(Phrase.duration(seconds)); pushes on the wire: "
                    + "\(Phrase.figure(trouble.concerned)).", subject: subject, party: party)
        case .failing:
            let text = trouble.answers > 0 ? "\(share) were 5xx or 429." : "the last answers were 5xx or 429."
            return Problem(.providerFails, "\(subject): \(text)", subject: subject, party: party)
        case .rejecting:
            return Problem(
                .pushesRejected, "\(subject): \(share) rejected the recipient or the push.", subject: subject,
                party: party)
        case .slow:
            return Problem(
                .providerSlow, "\(subject): more than half of the answers of the last minute took longer than 2 s.",
                subject: subject, party: party)
        }
    }

    /// Returns a problem if many pushes were retried in the last minute although no problem of a provider or network
    /// was open during the minute.
    private func retried(beside found: [Problem]) -> [Problem] {
        let sinceProblem = facts.lastProviderProblem.map { facts.now.seconds - $0.seconds }
        if let sinceProblem, (0...Self.countedSeconds).contains(sinceProblem) { return [] }
        let retried = facts.minute["retried"] + facts.minute["held"]
        guard found.isEmpty, retried >= Self.fewest, retried * 5 >= facts.minute.outcomes else { return [] }
        let attempt = FailedAttempt.last(in: facts.warnings, since: facts.now.seconds - Self.attemptSeconds)
        return [
            Problem(
                .pushesRetried,
                "\(Phrase.figure(retried)) pushes were delayed for another attempt in the last minute"
                    + (attempt.map { "; last failed connection: \($0.text)" } ?? "") + ".")
        ]
    }
}

extension ProviderProblems {
    /// Returns a problem if pushes still wait in delay queues although the cause has ended.
    private func held(beside found: [Problem]) -> [Problem] {
        let until = facts.counts.heldUntil
        guard found.isEmpty, facts.now < until else { return [] }
        // The text must not change from one look to the next.
        let minute = Timestamp(seconds: (until.seconds / 60 + 1) * 60)
        return [
            Problem(
                .pushesHeld,
                "Pushes that had to wait for a provider or a credential return from delay queues by \(minute.rfc3339).")
        ]
    }
}

extension StatusFacts {
    /// Returns the party `receiver` if an output sends to servers of Martlet's users, or `nil` if it does not.
    func receiver(_ output: String?) -> Problem.Party? {
        output.map(receivingOutputs.contains) == true ? .receiver : nil
    }
}
