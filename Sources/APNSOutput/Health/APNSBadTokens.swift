public import PushModel

/// How many device tokens of an app APNs has called bad since it was last told.
public struct APNSBadTokens: Sendable, Hashable {
    public let app: String
    public let environment: PushEnvironment
    /// Apple's: `BadDeviceToken` or `DeviceTokenNotForTopic`.
    public let reason: String
    public var count: Int

    public init(app: String, environment: PushEnvironment, reason: String, count: Int) {
        self.app = app
        self.environment = environment
        self.reason = reason
        self.count = count
    }
}
