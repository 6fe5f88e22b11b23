public import PushModel

/// A device has handed in its token.
public struct TokenRegistration: Sendable, Hashable {
    public let key: DeviceTokenKey
    public let registeredAt: Timestamp

    public init(key: DeviceTokenKey, registeredAt: Timestamp) {
        self.key = key
        self.registeredAt = registeredAt
    }
}
