public import PushModel

/// A mark, which records that a provider reported a token as dead.
public struct TokenMark: Sendable, Hashable {
    public let key: DeviceTokenKey
    /// The time of death by the provider's clock, for example the `timestamp` of a 410.
    public let unregisteredAt: Timestamp
    public let reason: String
    /// The time of a registration that the job contained, or `nil` if it contained none.
    public let registeredAt: Timestamp?

    public init(key: DeviceTokenKey, unregisteredAt: Timestamp, reason: String, registeredAt: Timestamp? = nil) {
        self.key = key
        self.unregisteredAt = unregisteredAt
        self.reason = reason
        self.registeredAt = registeredAt
    }
}
