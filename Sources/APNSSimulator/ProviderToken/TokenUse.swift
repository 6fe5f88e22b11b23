/// The use of one key's provider tokens. All senders that share the key must respect Apple's limits together.
public struct TokenUse: Encodable, Hashable, Sendable {
    /// The issue times of the first 10,000 distinct tokens, in seconds since 1970 and in ascending order.
    public private(set) var issued: [Int64] = []
    /// The greatest age at which a token was accepted so far, in seconds.
    public private(set) var greatestAge: Int64 = 0
    /// The number of requests that were refused because the connection changed to a new token too early.
    public private(set) var updatesTooSoon = 0
    /// The number of requests that were refused because the token was too old or was issued too far in the future.
    public private(set) var expired = 0
    private var texts: Set<[UInt8]> = []
    /// The maximum number of distinct tokens to keep. The limit keeps a sender that creates a token for each push from
    /// filling the memory.
    private static let mostTokens = 10_000

    private enum CodingKeys: String, CodingKey {
        case issued, shortestInterval = "shortest_interval", greatestAge = "greatest_age"
        case updatesTooSoon = "updates_too_soon", expired
    }

    package init() {}

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(issued, forKey: .issued)
        try container.encodeIfPresent(shortestInterval, forKey: .shortestInterval)
        try container.encode(greatestAge, forKey: .greatestAge)
        try container.encode(updatesTooSoon, forKey: .updatesTooSoon)
        try container.encode(expired, forKey: .expired)
    }

    /// The shortest time between the issue of two tokens in seconds, or `nil` if there were fewer than two tokens.
    public var shortestInterval: Int64? {
        zip(issued, issued.dropFirst()).map { $1 - $0 }.min()
    }

    package mutating func note(_ token: ProviderToken, refusal: RejectionReason?, at now: Int64) {
        switch refusal {
        case .tooManyProviderTokenUpdates: updatesTooSoon += 1
        case .expiredProviderToken: expired += 1
        case nil: greatestAge = max(greatestAge, now - token.issuedAt)
        default: break
        }
        guard texts.count < Self.mostTokens, texts.insert(token.text).inserted else { return }
        // The new token is nearly always the one issued last.
        let place = issued.lastIndex { $0 <= token.issuedAt }.map { $0 + 1 } ?? issued.startIndex
        issued.insert(token.issuedAt, at: place)
    }
}
