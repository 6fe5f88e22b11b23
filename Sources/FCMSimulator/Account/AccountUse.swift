/// The use of one service account.
public struct AccountUse: Codable, Sendable, Equatable {
    /// The number of requests for access tokens that named the account.
    public var tokenRequests = 0
    /// The number of access tokens that were issued to the account.
    public var tokens = 0
    /// The shortest time between two access tokens in milliseconds, or `nil` if there were fewer than two tokens.
    public var shortestInterval: Int64?
    private var lastAt: Int64?

    mutating func issued(at now: Int64) {
        tokens += 1
        if let lastAt { shortestInterval = min(shortestInterval ?? .max, now - lastAt) }
        lastAt = now
    }

    enum CodingKeys: String, CodingKey {
        case tokenRequests = "token_requests", tokens, shortestInterval = "shortest_interval_ms"
    }
}
