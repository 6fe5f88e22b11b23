/// The number of tokens of a key that have arrived at a service, and the shortest time between them.
public struct VAPIDUse: Codable, Sendable, Equatable {
    public private(set) var tokens = 0
    /// The shortest time between two new tokens in milliseconds, or `nil` if there were fewer than two tokens.
    public private(set) var shortestInterval: Int64?
    private var lastAt: Int64?

    mutating func note(at now: Int64) {
        tokens += 1
        if let lastAt { shortestInterval = min(shortestInterval ?? .max, now - lastAt) }
        lastAt = now
    }

    enum CodingKeys: String, CodingKey {
        case tokens, shortestInterval = "shortest_interval_ms"
    }
}
