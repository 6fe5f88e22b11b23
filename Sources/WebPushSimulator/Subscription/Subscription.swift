internal import Crypto
internal import PushSimulator

/// A subscription as a browser would have it: its endpoint's id tells all, so that any number can be handed out and none is
/// kept.
struct Subscription {
    /// What a push to it is answered, beside what the checks say.
    enum State: UInt8, Sendable {
        case good
        /// 410: the user has taken it back.
        case gone
        /// 404: nobody knows it.
        case unknown
    }

    let number: UInt64
    let state: State
    /// The first bytes of the SHA-256 of the VAPID key that it was made with; zeros: of any.
    let boundTo: [UInt8]

    static let unbound = [UInt8](repeating: 0, count: 16)

    /// - Parameter key: 65 bytes; nil: it is not bound.
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

    /// Whether it takes pushes that this key signs.
    func takes(key: [UInt8]) -> Bool { boundTo == Self.unbound || boundTo == Self.digest(key) }

    // MARK: Ids

    private var head: [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) + [state.rawValue] + boundTo }
    private static let headBytes = 25

    func id(_ persona: Persona, _ secret: SymmetricKey) -> String {
        UnpaddedBase64.encode(head + Self.tag(head, persona, secret))
    }

    /// - Returns: nil if nobody has handed it out.
    init?(id: Substring, _ persona: Persona, _ secret: SymmetricKey) {
        // Several texts may decode to the same bytes, but only one is the id.
        guard let bytes = UnpaddedBase64.decode(id), bytes.count > Self.headBytes, UnpaddedBase64.encode(bytes) == id
        else { return nil }
        let head = Array(bytes.prefix(Self.headBytes))
        guard Array(bytes.dropFirst(Self.headBytes)) == Self.tag(head, persona, secret),
            let state = State(rawValue: head[8])
        else { return nil }
        self.init(
            number: head.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, state: state, boundTo: Array(head.dropFirst(9)))
    }

    /// Long, as real ones are.
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
            // Practically each 32 bytes are a key: of 2^32, one is none.
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
