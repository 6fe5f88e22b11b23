public import PushModel

/// What the registry knows of a token.
public struct DeviceToken: Sendable, Hashable {
    public let key: DeviceTokenKey
    public let registeredAt: Timestamp?
    /// nil while the token lives.
    public let unregisteredAt: Timestamp?
    /// When the mark was written.
    public let markedAt: Timestamp?
    public let reason: String?

    package init(
        key: DeviceTokenKey, registeredAt: Timestamp?, unregisteredAt: Timestamp?, markedAt: Timestamp?, reason: String?
    ) {
        self.key = key
        self.registeredAt = registeredAt
        self.unregisteredAt = unregisteredAt
        self.markedAt = markedAt
        self.reason = reason
    }
}
