/// A channel of an app, to which broadcasts for Live Activities are sent.
public struct BroadcastChannel: Codable, Hashable, Sendable {
    /// The channel id, in base64.
    public let id: String
    /// Whether the most recent message is stored for devices that are offline (`message-storage-policy` 1).
    public let storesMostRecent: Bool
    /// The number of accepted broadcasts to the channel.
    public internal(set) var broadcasts = 0

    enum CodingKeys: String, CodingKey {
        case id, storesMostRecent = "stores_most_recent", broadcasts
    }
}
