/// A notification that was sent with NOTIFY.
public struct PostgresNotification: Sendable, Hashable {
    public let channel: String
    /// The payload, which is empty if NOTIFY had none.
    public let payload: String

    public init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
