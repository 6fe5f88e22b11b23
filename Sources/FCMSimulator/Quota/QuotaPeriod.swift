/// What a project has sent in one period of its quota.
public struct QuotaPeriod: Codable, Sendable, Equatable {
    /// Milliseconds since 1970.
    public let beganAt: Int64
    /// Messages that spent quota: accepted, and refused with a 4xx.
    public internal(set) var spent = 0
    public internal(set) var accepted = 0
    /// Answered 429 because the quota was used up.
    public internal(set) var refused = 0

    init(beganAt: Int64) {
        self.beganAt = beganAt
    }

    enum CodingKeys: String, CodingKey {
        case beganAt = "began_at", spent, accepted, refused
    }
}
