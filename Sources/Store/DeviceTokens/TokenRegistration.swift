public import PushModel

/// The registration of a token by a device.
public struct TokenRegistration: Sendable, Hashable {
    public let key: DeviceTokenKey
    public let registeredAt: Timestamp

    public init(key: DeviceTokenKey, registeredAt: Timestamp) {
        self.key = key
        self.registeredAt = registeredAt
    }
}
