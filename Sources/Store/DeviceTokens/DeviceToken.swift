package import PushModel

/// The record of a token in the registry.
package struct DeviceToken: Sendable, Hashable {
    package let key: DeviceTokenKey
    package let registeredAt: Timestamp?
    /// The time at which the token became invalid, or `nil` while the token is valid.
    package let unregisteredAt: Timestamp?
    /// The time at which the mark was written, or `nil` while the token is valid.
    package let markedAt: Timestamp?
    package let reason: String?

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
