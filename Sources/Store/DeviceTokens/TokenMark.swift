public import PushModel

/// The provider says that a token is dead.
public struct TokenMark: Sendable, Hashable {
    public let key: DeviceTokenKey
    /// The provider's own time, e.g. the `timestamp` of a 410.
    public let unregisteredAt: Timestamp
    public let reason: String
    /// A registration that the job told of.
    public let registeredAt: Timestamp?

    public init(key: DeviceTokenKey, unregisteredAt: Timestamp, reason: String, registeredAt: Timestamp? = nil) {
        self.key = key
        self.unregisteredAt = unregisteredAt
        self.reason = reason
        self.registeredAt = registeredAt
    }
}
