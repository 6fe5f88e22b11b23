import Contract
import DeliveryPipeline
package import PushModel
import Routing
import Store

/// A detector of problems that consumers or publishers can correct: refused or unrouted result events, bad device
/// tokens, and rejected jobs.
struct OtherProblems {
    let facts: StatusFacts

    var all: [Problem] {
        var found: [Problem] = []
        if let refused = facts.minute.refused[facts.resultsExchange],
            facts.counts.refusals[facts.resultsExchange] == nil
        {
            found.append(
                Problem(
                    .resultsFull,
                    "\(Phrase.count(refused, "event")) refused in the last minute because a results queue is full.",
                    subject: facts.resultsExchange))
        }
        return found + unroutedResults + mostlyBadTokens + rejectedJobs
    }

    private var unroutedResults: [Problem] {
        let routing = facts.minute.resultsRouting
        guard routing.unrouted > 0, routing.routed == 0 else { return [] }
        return [
            Problem(
                .resultsUnrouted,
                "No queue received the outcomes of the last minute (last routing key: \(routing.lastUnrouted)).",
                subject: facts.resultsExchange)
        ]
    }

    /// The problems of apps whose device tokens are mostly bad. There is at most one for all outputs that send to
    /// providers, and one for all outputs that send to receivers.
    private var mostlyBadTokens: [Problem] {
        let outputs = Dictionary(facts.credentials.map { ($0.id, $0.output) }) { first, _ in first }
        let refusals = Dictionary(grouping: facts.refusals.filter(\.isOfTokens)) {
            facts.receiver(outputs[$0.credential])
        }
        return refusals.map { party, refusals in
            let names = refusals.map { "\($0.topic ?? ""): \($0.reason)" }.sorted()
            return Problem(
                .tokensMostlyBad, "Most device tokens are bad: \(Phrase.list(names)).", subject: party?.rawValue ?? "",
                party: party)
        }
    }

    private var rejectedJobs: [Problem] {
        let rejected = facts.minute["jobs_rejected"]
        guard rejected > 0 else { return [] }
        var text = "\(Phrase.count(rejected, "job")) rejected in the last minute"
        if let last = facts.warnings.first(where: { $0.event == "job.rejected" })?.details {
            let names = [("app", last["app"]), ("publisher", last["publisher"])].compactMap { label, name in
                name.map { "\(label) \($0)" }
            }
            if let reason = last["reason"] { text += "; last reason: \(reason)" }
            if !names.isEmpty { text += " (\(names.joined(separator: ", ")))" }
        }
        return [Problem(.jobsRejected, text + ".")]
    }
}

extension Refusal {
    /// Whether the refusal concerns an app's device tokens instead of a credential.
    package var isOfTokens: Bool { topic?.hasSuffix("(device tokens)") ?? false }
}
