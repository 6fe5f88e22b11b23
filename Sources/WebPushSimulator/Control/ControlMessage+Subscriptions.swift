internal import Crypto
internal import PushSimulator

extension ControlMessage {
    /// The body of a request for new subscriptions: `{"persona": "google", "application_server_key": "B…", "count": 1,
    /// "state": "good", "host": "localhost"}`. The persona is required. The key is required for all personas except
    /// Mozilla.
    struct NewSubscriptions: ControlBody {
        let persona: Persona
        let key: String?
        let count: Int
        let state: SimulatedWebPush.SubscriptionState
        let host: String

        enum CodingKeys: String, CodingKey, CaseIterable {
            case persona, key = "application_server_key", count, state, host
        }

        private static let most = 100_000

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard let persona = try container.wordIfPresent(.persona, of: Persona.self) else {
                throw SimulatorError("persona: missing")
            }
            self.persona = persona
            key = try container.decodeIfPresent(String.self, forKey: .key)
            count = try container.numberIfPresent(.count, in: 1...Self.most) ?? 1
            state = try container.wordIfPresent(.state, of: SimulatedWebPush.SubscriptionState.self) ?? .good
            host = try container.decodeIfPresent(String.self, forKey: .host) ?? "localhost"
        }

        func made(by simulator: SimulatedWebPush) throws -> [SubscriptionJSON] {
            try (0..<count).map { _ in try simulator.subscribe(persona, key: key, state: state, host: host) }
        }

        /// Decodes a VAPID public key from base64url.
        ///
        /// - Throws: ``SimulatorError`` if the text is not a valid key.
        static func key(_ text: String) throws -> [UInt8] {
            guard let bytes = UnpaddedBase64.decode(text), bytes.count == 65,
                (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil
            else { throw SimulatorError("application_server_key: must be a P-256 public key, 65 bytes in base64url") }
            return bytes
        }
    }
}
