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

/// A device has handed in its token.
public struct TokenRegistration: Sendable, Hashable {
    public let key: DeviceTokenKey
    public let registeredAt: Timestamp

    public init(key: DeviceTokenKey, registeredAt: Timestamp) {
        self.key = key
        self.registeredAt = registeredAt
    }
}

/// What the registry knows of a token.
public struct DeviceToken: Sendable, Hashable {
    public let key: DeviceTokenKey
    public let registeredAt: Timestamp?
    /// nil while the token lives.
    public let unregisteredAt: Timestamp?
    /// When the mark was written.
    public let markedAt: Timestamp?
    public let reason: String?
}
