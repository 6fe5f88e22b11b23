/// The number of an app's device tokens that a provider has called bad since the last report.
public struct BadTokens: Sendable, Hashable {
    public let app: String
    public let environment: PushEnvironment
    /// The provider's reason.
    public let reason: String
    public var count: Int

    public init(app: String, environment: PushEnvironment, reason: String, count: Int) {
        self.app = app
        self.environment = environment
        self.reason = reason
        self.count = count
    }
}
