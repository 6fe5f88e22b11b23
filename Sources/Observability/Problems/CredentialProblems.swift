import PushModel
import Store
import Routing

/// A detector of credentials that have expired or expire soon.
struct CredentialProblems {
    let facts: StatusFacts

    static let daysAhead = 14

    var all: [Problem] {
        let ending = facts.credentials.compactMap { credential in
            credential.state == .active ? credential.daysLeft(at: facts.now).map { (credential.name, $0) } : nil
        }
        let expired = ending.filter { $0.1 < 0 }.map(\.0)
        let soon = ending.filter { (0..<Self.daysAhead).contains($0.1) }.map(\.0)
        var found: [Problem] = []
        if !expired.isEmpty {
            found.append(Problem(.credentialExpired, "Expired credentials: \(Phrase.list(expired))."))
        }
        if !soon.isEmpty {
            found.append(
                Problem(
                    .credentialExpires, "Credentials that expire within \(Self.daysAhead) days: \(Phrase.list(soon))."))
        }
        return found
    }
}

extension CredentialSummary {
    /// The label of the credential, or its id if it has no label.
    package var name: String { label.isEmpty ? id : label }
}
