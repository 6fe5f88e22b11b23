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
}
