/// A notification that was sent with NOTIFY.
package struct PostgresNotification: Sendable, Hashable {
    package let channel: String
    /// The payload, which is empty if NOTIFY had none.
    package let payload: String

    package init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
