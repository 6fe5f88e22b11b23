import PushModel
import Store
import Routing

/// The state of a credential on the status page. Only the last characters of its key id are shown.
package struct CredentialStatus: Sendable, Hashable, Encodable {
    package static let most = 50

    package let label: String
    package let output: String
    package let account: String
    package let kind: String
    /// The last four characters of the key id, or of the fingerprint if the credential has no key id.
    package let key: String
    package let environments: [String]
    /// The number of whole days until the credential expires, or `nil` if it never expires. The number is negative
    /// after expiry.
    package let daysLeft: Int?
    /// The age of the provider token in use, in seconds, or `nil` if this worker has none.
    package let tokenAge: Int?
    package let isRefused: Bool

    private enum CodingKeys: String, CodingKey {
        case label, output, account, kind, key, environments, daysLeft, tokenAge
        case isRefused = "refused"
    }

    /// Returns at most ``most`` credentials. Refused credentials come first, then the credentials that expire soonest.
    package static func first(of facts: StatusFacts) -> [CredentialStatus] {
        let refused = Set(facts.refusals.filter { !$0.isOfTokens }.map(\.credential))
        let names = facts.credentials.names
        return facts.credentials.map {
            CredentialStatus(
                $0, label: names[$0.id] ?? $0.name, isRefused: refused.contains($0.id),
                tokenAt: facts.tokenTimes[$0.id], now: facts.now)
        }
        .sorted { left, right in
            if left.isRefused != right.isRefused { return left.isRefused }
            let (a, b) = (left.daysLeft ?? .max, right.daysLeft ?? .max)
            return a == b ? left.label < right.label : a < b
        }.prefix(most).map(\.self)
    }

    private init(
        _ summary: CredentialSummary, label: String, isRefused: Bool, tokenAt: Timestamp?, now: Timestamp
    ) {
        self.label = label
        (output, account, kind) = (summary.output, summary.account, summary.kind.rawValue)
        key = String((summary.keyID ?? summary.fingerprint).suffix(4))
        environments = summary.environments.map(\.rawValue).sorted()
        daysLeft = summary.daysLeft(at: now)
        tokenAge = tokenAt.map { Int(max(0, now.seconds - $0.seconds)) }
        self.isRefused = isRefused
    }
}

/// A current refusal by a provider, as the status page shows it.
package struct RefusalStatus: Sendable, Hashable, Encodable {
    package static let most = 50

    package let credential: String
    package let environment: String
    package let topic: String?
    package let reason: String
    package let since: String

    /// Returns at most ``most`` refusals, oldest first.
    package static func first(of facts: StatusFacts) -> [RefusalStatus] {
        let names = facts.credentials.names
        return facts.refusals.sorted { $0.since < $1.since }.prefix(most).map { refusal in
            RefusalStatus(
                credential: names[refusal.credential] ?? refusal.credential, environment: refusal.environment.rawValue,
                topic: refusal.topic, reason: refusal.reason, since: refusal.since.rfc3339)
        }
    }
}
