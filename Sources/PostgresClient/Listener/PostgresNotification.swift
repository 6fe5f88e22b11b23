/// What somebody said with NOTIFY.
public struct PostgresNotification: Sendable, Hashable {
    public let channel: String
    /// Empty where NOTIFY gave none.
    public let payload: String

    public init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
