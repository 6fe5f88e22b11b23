package import PushModel

/// The registration of a token by a device.
package struct TokenRegistration: Sendable, Hashable {
    package let key: DeviceTokenKey
    package let registeredAt: Timestamp

    package init(key: DeviceTokenKey, registeredAt: Timestamp) {
        self.key = key
        self.registeredAt = registeredAt
    }
}
