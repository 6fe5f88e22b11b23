/// The counts of a project's messages in one period of its quota.
public struct QuotaPeriod: Codable, Sendable, Equatable {
    /// The start of the period, in milliseconds since 1970.
    public let beganAt: Int64
    /// The number of messages that used quota: accepted messages, and messages refused with a 4xx other than 429.
    public internal(set) var spent = 0
    public internal(set) var accepted = 0
    /// The number of messages that were answered with 429 because the quota was used up.
    public internal(set) var refused = 0

    init(beganAt: Int64) {
        self.beganAt = beganAt
    }

    enum CodingKeys: String, CodingKey {
        case beganAt = "began_at", spent, accepted, refused
    }
}
