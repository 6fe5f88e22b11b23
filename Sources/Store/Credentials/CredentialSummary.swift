public import PushModel

/// A row of `martlet.credentials` without its secret.
public struct CredentialSummary: Sendable, Hashable, Identifiable {
    public enum Kind: String, Sendable, Hashable {
        case token
        case certificate
        case secret
    }

    public enum State: String, Sendable, Hashable {
        case active
        /// Taken out of use by an operator.
        case retired
    }

    public let id: Credential.ID
    public let kind: Kind
    /// The output that uses it.
    public let output: String
    /// Whose it is, with the output's provider.
    public let account: String
    /// The provider's id of the key; nil for what has none.
    public let keyID: String?
    public let environments: Set<PushEnvironment>
    /// Empty means every topic of the account.
    public let topics: Set<String>
    public let notBefore: Timestamp?
    public let notAfter: Timestamp?
    public let state: State
    /// SHA-256 in hex: of a token's public key, of a certificate.
    public let fingerprint: String
    public let label: String
    /// The master key that its secret is sealed under.
    public let masterKeyID: String
    public let createdAt: Timestamp
    /// Why its row can't be read: then only its texts are known.
    public let unreadable: StoreError?

    package init(
        id: Credential.ID, output: String = Job.defaultOutput, kind: Kind, account: String, keyID: String?,
        environments: Set<PushEnvironment>,
        topics: Set<String>, notBefore: Timestamp?, notAfter: Timestamp?, state: State, fingerprint: String,
        label: String, masterKeyID: String, createdAt: Timestamp, unreadable: StoreError? = nil
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

    /// Whole days until it expires; negative when it has, nil when it never does.
    public func daysLeft(at now: Timestamp) -> Int? { notAfter.map { $0.days(from: now) } }
}

extension Timestamp {
    /// Whole days, rounded down; negative when it has passed.
    public func days(from now: Timestamp) -> Int {
        let (days, rest) = (seconds - now.seconds).quotientAndRemainder(dividingBy: 86_400)
        return Int(rest < 0 ? days - 1 : days)
    }
}
