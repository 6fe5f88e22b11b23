/// How the provider tokens of one key have been used: what a fleet of senders that share the key must keep to.
public struct TokenUse: Encodable, Hashable, Sendable {
    /// Issue times of the first 10,000 different tokens seen, in seconds since 1970, rising.
    public private(set) var issued: [Int64] = []
    /// The greatest age at which one was accepted, in seconds.
    public private(set) var greatestAge: Int64 = 0
    /// Requests whose token came too soon after another on the same connection.
    public private(set) var updatesTooSoon = 0
    /// Requests whose token was too old, or of a clock that is ahead.
    public private(set) var expired = 0
    private var texts: Set<[UInt8]> = []
    /// A sender that makes a token for each push must not fill the memory.
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

    /// The shortest time between the issue of two tokens, in seconds; nil when there were not two.
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
        // Nearly always the newest.
        let place = issued.lastIndex { $0 <= token.issuedAt }.map { $0 + 1 } ?? issued.startIndex
        issued.insert(token.issuedAt, at: place)
    }
}
