package import PushModel

/// A mark, which records that a provider reported a token as dead.
package struct TokenMark: Sendable, Hashable {
    package let key: DeviceTokenKey
    /// The time of death as the provider states it. If the provider states no time, it is the time of the push or of
    /// the answer by the worker's clock.
    package let unregisteredAt: Timestamp
    package let reason: String
    /// The time of a registration that the job contained, or `nil` if it contained none.
    package let registeredAt: Timestamp?

    package init(key: DeviceTokenKey, unregisteredAt: Timestamp, reason: String, registeredAt: Timestamp? = nil) {
        self.key = key
        self.unregisteredAt = unregisteredAt
        self.reason = reason
        self.registeredAt = registeredAt
    }
}
