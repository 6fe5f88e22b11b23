import DeliveryPipeline
import PushModel

/// Problems that consumers and publishers can end.
struct OtherProblems {
    let facts: StatusFacts

    var all: [Problem] {
        var found: [Problem] = []
        if let refused = facts.minute.refused[facts.resultsExchange] {
            found.append(
                Problem(
                    .resultsFull,
                    "\(Phrase.count(refused, "event")) refused in the last minute: a results queue is full.",
                    subject: facts.resultsExchange))
        }
        let tokens = facts.refusals.filter(\.isOfTokens)
        if !tokens.isEmpty {
            let names = tokens.map { "\($0.topic ?? ""): \($0.reason)" }.sorted()
            found.append(
                Problem(.tokensMostlyBad, "Most device tokens are bad: \(Phrase.list(names))."))
        }
        let rejected = facts.minute["jobs_rejected"]
        if rejected > 0 {
            let last = facts.warnings.first { $0.event == "job.rejected" }?.details["reason"]
            found.append(
                Problem(
                    .jobsRejected,
                    "\(Phrase.count(rejected, "job")) of the last minute can't be used"
                        + (last.map { "; the last one: \($0)" } ?? "") + "."))
        }
        return found
    }
}

extension Refusal {
    /// Whether an app's device tokens are refused, and not a credential.
    var isOfTokens: Bool { topic?.hasSuffix("(device tokens)") ?? false }
}
