public import Crypto
internal import PushSimulator

/// The public half of a key pair that a team has registered with Apple.
public struct TokenKey: Sendable {
    /// The team ID of ten characters, which is the `iss` of its tokens.
    public let team: String
    /// The key ID of ten characters, which is the `kid` of its tokens.
    public let keyID: String
    public let publicKey: P256.Signing.PublicKey
    /// The permitted uses of the key.
    public var scope = Scope()

    /// The permissions that a key was given in Apple's developer portal.
    public struct Scope: Hashable, Sendable {
        public var environments: Set<SimulatorConfiguration.Environment>
        /// The permitted bundle IDs, or empty for all apps of the team.
        public var topics: Set<String>
        /// The other key that may be used on the same connection.
        public var relatedKeyID: String?

        public init(
            environments: Set<SimulatorConfiguration.Environment> = Set(SimulatorConfiguration.Environment.allCases),
            topics: Set<String> = [], relatedKeyID: String? = nil
        ) {
            self.environments = environments
            self.topics = topics
            self.relatedKeyID = relatedKeyID
        }

        /// Returns whether the scope covers a topic. A bundle ID includes its topics with a suffix.
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
    /// - Parameter pem: A public key ("PUBLIC KEY"), or a `.p8` as provided by Apple ("PRIVATE KEY"), of which only the
    ///   public half is kept.
    /// - Throws: `SimulatorError` naming the key if the text is neither.
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
