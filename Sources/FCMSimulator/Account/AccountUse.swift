/// How a service account is used.
public struct AccountUse: Codable, Sendable, Equatable {
    /// Requests for access tokens that named it.
    public var tokenRequests = 0
    /// Access tokens that it has got.
    public var tokens = 0
    /// The shortest time between two of them, in milliseconds; nil: there were no two.
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
