/// An app's channel for broadcasts to Live Activities.
public struct BroadcastChannel: Codable, Hashable, Sendable {
    /// The channel ID, as Base64 text.
    public let id: String
    /// Apple's `message-storage-policy`: whether the most recent message is kept for devices that are offline.
    public let storesMostRecent: Bool
    /// The number of accepted broadcasts.
    public internal(set) var broadcasts = 0

    enum CodingKeys: String, CodingKey {
        case id, storesMostRecent = "stores_most_recent", broadcasts
    }
}
