public import PushModel

/// The record of a token in the registry.
public struct DeviceToken: Sendable, Hashable {
    public let key: DeviceTokenKey
    public let registeredAt: Timestamp?
    /// The time at which the token became invalid, or `nil` while the token is valid.
    public let unregisteredAt: Timestamp?
    /// The time at which the mark was written, or `nil` while the token is valid.
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
