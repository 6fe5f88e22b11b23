/// A subscription in the form of `PushSubscription.toJSON()` (W3C Push API).
public struct SubscriptionJSON: Codable, Sendable, Equatable {
    public struct Keys: Codable, Sendable, Equatable {
        /// The browser's public key: 65 bytes in base64url.
        public let p256dh: String
        /// The authentication secret: 16 bytes in base64url.
        public let auth: String
    }

    public let endpoint: String
    public let keys: Keys

    enum CodingKeys: String, CodingKey {
        case endpoint, expirationTime, keys
    }

    init(endpoint: String, keys: Keys) {
        self.endpoint = endpoint
        self.keys = keys
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        endpoint = try container.decode(String.self, forKey: .endpoint)
        keys = try container.decode(Keys.self, forKey: .keys)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(endpoint, forKey: .endpoint)
        try container.encodeNil(forKey: .expirationTime)
        try container.encode(keys, forKey: .keys)
    }
}
