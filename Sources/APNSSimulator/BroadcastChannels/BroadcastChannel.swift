/// A channel of an app for broadcasts to Live Activities.
public struct BroadcastChannel: Codable, Hashable, Sendable {
    /// Base64 text.
    public let id: String
    /// Apple's `message-storage-policy`: whether the most recent message is kept for devices that are away.
    public let storesMostRecent: Bool
    /// Broadcasts accepted.
    public internal(set) var broadcasts = 0

    enum CodingKeys: String, CodingKey {
        case id, storesMostRecent = "stores_most_recent", broadcasts
    }
}
