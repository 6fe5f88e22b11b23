public import Crypto
internal import PushSimulator

/// A public key that a team has registered with Apple.
public struct TokenKey: Sendable {
    /// The team id of ten characters. It is the `iss` of the key's tokens.
    public let team: String
    /// The key id of ten characters. It is the `kid` of the key's tokens.
    public let keyID: String
    public let publicKey: P256.Signing.PublicKey
    /// The permissions of the key.
    public var scope = Scope()

    /// The permissions of a key, which a developer sets in Apple's developer portal.
    public struct Scope: Hashable, Sendable {
        public var environments: Set<SimulatorConfiguration.Environment>
        /// The permitted bundle ids, or an empty set for all apps of the team.
        public var topics: Set<String>
        /// The id of the other key that may be used on the same connection, or `nil` if there is none.
        public var relatedKeyID: String?

        public init(
            environments: Set<SimulatorConfiguration.Environment> = Set(SimulatorConfiguration.Environment.allCases),
            topics: Set<String> = [], relatedKeyID: String? = nil
        ) {
            self.environments = environments
            self.topics = topics
            self.relatedKeyID = relatedKeyID
        }

        /// Returns whether the scope covers a topic. A bundle id also covers its topics with a suffix, such as `.voip`.
        func covers(topic: String) -> Bool {
            topics.isEmpty || topics.contains { topic == $0 || topic.hasPrefix($0 + ".") }
        }
    }

    public init(team: String, keyID: String, publicKey: P256.Signing.PublicKey) {
        self.team = team
        self.keyID = keyID
        self.publicKey = publicKey
    }

    /// Creates a key from PEM text.
    ///
    /// - Parameter pem: a public key ("PUBLIC KEY"), or the contents of Apple's `.p8` file ("PRIVATE KEY"). Only the
    ///   public key is kept.
    /// - Throws: `SimulatorError` that names the key if the text is neither.
    public init(team: String, keyID: String, pem: String) throws {
        if let publicKey = try? P256.Signing.PublicKey(pemRepresentation: pem) {
            self.init(team: team, keyID: keyID, publicKey: publicKey)
        } else if let privateKey = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
            self.init(team: team, keyID: keyID, publicKey: privateKey.publicKey)
        } else {
            throw SimulatorError("key \(team)/\(keyID): neither a P-256 public key nor a .p8 private key in PEM form")
        }
    }
}
