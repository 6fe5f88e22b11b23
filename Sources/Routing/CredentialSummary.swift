package import PushModel

/// A row of `martlet.credentials` without its secret.
package struct CredentialSummary: Sendable, Hashable, Identifiable {
    package enum Kind: String, Sendable, Hashable {
        case token
        case certificate
        case secret
    }

    package enum State: String, Sendable, Hashable {
        case active
        /// The credential was taken out of use by an operator.
        case retired
    }

    package let id: Credential.ID
    package let kind: Kind
    /// The name of the output that uses the credential.
    package let output: String
    /// The account that owns the credential.
    package let account: String
    /// The provider's id of the key, or `nil` if the credential has none.
    package let keyID: String?
    package let environments: Set<PushEnvironment>
    /// The topics that the credential is limited to. An empty set means every topic of the account.
    package let topics: Set<String>
    package let notBefore: Timestamp?
    package let notAfter: Timestamp?
    package let state: State
    /// A SHA-256 in hex that identifies the key, such as the digest of its public key or of its certificate.
    package let fingerprint: String
    package let label: String
    /// The id of the master key that the secret is sealed under.
    package let masterKeyID: String
    package let createdAt: Timestamp
    /// The reason why the row can't be read, or `nil` if it can be read. In an unreadable row, only the id and the text
    /// columns except `kind` and `state` are valid.
    package let unreadable: RowError?

    package init(
        id: Credential.ID, output: String = Job.defaultOutput, kind: Kind, account: String, keyID: String?,
        environments: Set<PushEnvironment>,
        topics: Set<String>, notBefore: Timestamp?, notAfter: Timestamp?, state: State, fingerprint: String,
        label: String, masterKeyID: String, createdAt: Timestamp, unreadable: RowError? = nil
    ) {
        self.id = id
        self.kind = kind
        self.output = output
        self.account = account
        self.keyID = keyID
        self.environments = environments
        self.topics = topics
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.state = state
        self.fingerprint = fingerprint
        self.label = label
        self.masterKeyID = masterKeyID
        self.createdAt = createdAt
        self.unreadable = unreadable
    }
}

extension CredentialSummary {
    package func isOf(_ account: String, with output: String) -> Bool {
        self.account == account && self.output == output
    }

    /// Returns the number of whole days until the credential expires. The number is negative if it has expired, and
    /// `nil` if it never expires.
    package func daysLeft(at now: Timestamp) -> Int? { notAfter.map { $0.days(from: now) } }
}

extension Timestamp {
    /// Returns the number of whole days until this time, rounded down. The number is negative if the time has passed.
    package func days(from now: Timestamp) -> Int {
        let (days, rest) = (seconds - now.seconds).quotientAndRemainder(dividingBy: 86_400)
        return Int(rest < 0 ? days - 1 : days)
    }
}
