package import PushModel
import Store
package import Routing

/// A detector of credentials that have expired or expire soon.
struct CredentialProblems {
    let facts: StatusFacts

    static let daysAhead = 14

    var all: [Problem] {
        let names = facts.credentials.names
        let ending = facts.credentials.filter { $0.state == .active }.compactMap { credential in
            credential.daysLeft(at: facts.now).map { (names[credential.id] ?? credential.name, $0) }
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

extension [CredentialSummary] {
    /// The names of the credentials. If several active credentials of an output have the same label, the beginning of
    /// the id follows it.
    package var names: [Credential.ID: String] {
        let active = Dictionary(grouping: filter { $0.state == .active }) { [$0.output, $0.name] }
        return Dictionary(
            map { credential in
                let isUnique = (active[[credential.output, credential.name]]?.count ?? 0) < 2
                return (credential.id, isUnique ? credential.name : "\(credential.name) (\(credential.id.prefix(8)))")
            }, uniquingKeysWith: { first, _ in first })
    }
}
