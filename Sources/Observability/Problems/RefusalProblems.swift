import PushModel
import PushSending
import Routing
import Store

/// A detector of credentials that a provider refuses or that an output can't use.
struct RefusalProblems {
    let facts: StatusFacts

    var all: [Problem] {
        let outputs = Dictionary(facts.credentials.map { ($0.id, $0.output) }) { first, _ in first }
        let names = facts.credentials.names
        return facts.refusals.filter { !$0.isOfTokens }.sorted { $0.since < $1.since }.map { refusal in
            let output = outputs[refusal.credential]
            let name = [output, names[refusal.credential] ?? refusal.credential].compactMap(\.self)
                .joined(separator: " ")
            if refusal.reason == SendingReason.credentialUnusable {
                return unusable(refusal.credential, name: name)
            }
            let subject = "\(name) \(refusal.environment.rawValue)\(refusal.topic.map { " \($0)" } ?? "")"
            return Problem(
                .credentialRefused, "Credential refused: \(subject): \(refusal.reason).", subject: subject,
                party: facts.receiver(output))
        }
    }

    /// Returns the problem of a credential that can't be used for any request. The error is read from the log.
    private func unusable(_ credential: Credential.ID, name: String) -> Problem {
        let warning = facts.warnings.first {
            $0.event == "credential.unusable" && $0.details["credential"] == credential
        }
        let error = warning?.details["error"]
        return Problem(
            .credentialUnusable, "Credential cannot be used: \(name)\(error.map { ": \($0)" } ?? "").", subject: name)
    }
}
