public import Crypto
internal import PushSimulator

/// A key pair's public half, as a team has registered it with Apple.
public struct TokenKey: Sendable {
    /// The ten characters of the team, `iss` in its tokens.
    public let team: String
    /// The ten characters of the key, `kid` in its tokens.
    public let keyID: String
    public let publicKey: P256.Signing.PublicKey
    /// What it may be used for.
    public var scope = Scope()

    /// What a key was made for in Apple's developer portal.
    public struct Scope: Hashable, Sendable {
        public var environments: Set<SimulatorConfiguration.Environment>
        /// Bundle ids; empty: all of the team.
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

        /// A bundle id stands for its topics with an ending, too.
        func covers(topic: String) -> Bool {
            topics.isEmpty || topics.contains { topic == $0 || topic.hasPrefix($0 + ".") }
        }
    }

    public init(team: String, keyID: String, publicKey: P256.Signing.PublicKey) {
        self.team = team
        self.keyID = keyID
        self.publicKey = publicKey
    }

    /// - Parameter pem: a public key ("PUBLIC KEY"), or a `.p8` as Apple hands it out ("PRIVATE KEY"), of
    ///   which only the public half is kept.
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
