import DeliveryPipeline
import PushModel
import Store

/// Problems of providers, and of the way to them.
struct ProviderProblems {
    let facts: StatusFacts

    /// The smallest number of answers, or of retried pushes, that can be an outage.
    private static let fewest = 10
    /// An output is slow if half of its answers take longer.
    private static let slowMilliseconds = 2_000
    /// The log repeats an attempt once a minute.
    private static let attemptSeconds: Int64 = 120

    var all: [Problem] {
        var found = facts.unreachable.map(\.problem) + facts.silent.map(\.problem)
        let known = Dictionary(facts.credentials.map { ($0.id, $0) }) { first, _ in first }
        found += facts.refusals.filter { !$0.isOfTokens }.sorted { $0.since < $1.since }.map { refusal in
            let credential = known[refusal.credential]
            let name = "\(credential?.output ?? "") \(credential?.name ?? refusal.credential)".trimmed
            let subject = "\(name) \(refusal.environment.rawValue)\(refusal.topic.map { " \($0)" } ?? "")"
            return Problem(.credentialRefused, "Refused: \(subject): \(refusal.reason).", subject: subject)
        }
        found += facts.answers.compactMap { share in
            guard share.answers >= Self.fewest, share.failed * 5 >= share.answers else { return nil }
            return Problem(
                .providerFails,
                "\(share.name): \(Phrase.figure(share.failed)) of \(Phrase.figure(share.answers)) answers in the last "
                    + "minute were 5xx or 429.",
                subject: share.name)
        }
        found += facts.answers.compactMap { share in
            guard share.answers >= Self.fewest, share.p50 > Self.slowMilliseconds else { return nil }
            return Problem(
                .providerSlow,
                "\(share.name): half of the answers of the last minute took longer than 2 s.",
                subject: share.name)
        }
        return found + retried(beside: found)
    }

    /// Returns a problem if many pushes are retried and no other problem of a provider explains it.
    private func retried(beside found: [Problem]) -> [Problem] {
        let retried = facts.minute["retried"]
        guard found.isEmpty, retried >= Self.fewest, retried * 5 >= facts.minute.outcomes else { return [] }
        let attempt = FailedAttempt.last(in: facts.warnings, since: facts.now.seconds - Self.attemptSeconds)
        return [
            Problem(
                .pushesRetried,
                "\(Phrase.figure(retried)) pushes were put back in the last minute, to be tried again"
                    + (attempt.map { "; connecting failed last to \($0.text)" } ?? "") + ".")
        ]
    }
}

extension String {
    fileprivate var trimmed: String { hasPrefix(" ") ? String(dropFirst()) : self }
}
