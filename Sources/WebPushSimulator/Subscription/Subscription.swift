internal import Crypto
internal import PushSimulator

/// A subscription of a simulated browser. The id in its endpoint contains all of its data, so any number of
/// subscriptions can be issued without storing them.
struct Subscription {
    /// The state of the subscription. It determines the answer to a push that passes all checks.
    enum State: UInt8, Sendable {
        case good
        /// Pushes are answered with 410 because the user has unsubscribed.
        case gone
        /// Pushes are answered with 404 because the subscription is unknown.
        case unknown
    }

    let number: UInt64
    let state: State
    /// The first 16 bytes of the SHA-256 hash of the VAPID key to which the subscription is bound, or zeros if any key
    /// is accepted.
    let boundTo: [UInt8]

    static let unbound = [UInt8](repeating: 0, count: 16)

    /// Creates a subscription.
    ///
    /// - Parameter key: the 65 bytes of the VAPID key, or `nil` if the subscription is not bound to a key.
    init(number: UInt64, state: State, key: [UInt8]?) {
        self.number = number
        self.state = state
        boundTo = key.map(Self.digest) ?? Self.unbound
    }

    private init(number: UInt64, state: State, boundTo: [UInt8]) {
        self.number = number
        self.state = state
        self.boundTo = boundTo
    }

    private static func digest(_ key: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: key).prefix(16)) }

    /// Returns whether the subscription accepts pushes that are signed with this key.
    func takes(key: [UInt8]) -> Bool { boundTo == Self.unbound || boundTo == Self.digest(key) }

    // MARK: IDs

    private var head: [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) + [state.rawValue] + boundTo }
    private static let headBytes = 25

    func id(_ persona: Persona, _ secret: SymmetricKey) -> String {
        UnpaddedBase64.encode(head + Self.tag(head, persona, secret))
    }

    /// Decodes an id.
    ///
    /// - Returns: the subscription, or `nil` if the id was never issued.
    init?(id: Substring, _ persona: Persona, _ secret: SymmetricKey) {
        // Several strings may decode to the same bytes, but only one of them is the issued id.
        guard let bytes = UnpaddedBase64.decode(id), bytes.count > Self.headBytes, UnpaddedBase64.encode(bytes) == id
        else { return nil }
        let head = Array(bytes.prefix(Self.headBytes))
        guard Array(bytes.dropFirst(Self.headBytes)) == Self.tag(head, persona, secret),
            let state = State(rawValue: head[8])
        else { return nil }
        self.init(
            number: head.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, state: state, boundTo: Array(head.dropFirst(9)))
    }

    /// Returns the authentication code of an id. It is long because the ids of real services are long.
    private static func tag(_ head: [UInt8], _ persona: Persona, _ secret: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA512>.authenticationCode(for: Array(persona.rawValue.utf8) + head, using: secret))
    }

    // MARK: Keys

    func authenticationSecret(_ secret: SymmetricKey) -> [UInt8] {
        Array(material("auth", secret).prefix(16))
    }

    func privateKey(_ secret: SymmetricKey) -> P256.KeyAgreement.PrivateKey {
        var round = 0
        while true {
            // About one in 2^32 values is not a valid key.
            if let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: material("key \(round)", secret)) {
                return key
            }
            round += 1
        }
    }

    private func material(_ purpose: String, _ secret: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: head + Array(purpose.utf8), using: secret))
    }
}
