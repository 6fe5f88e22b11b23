/// How many device tokens of an app a provider has called bad since it was last told.
public struct BadTokens: Sendable, Hashable {
    public let app: String
    public let environment: PushEnvironment
    /// The provider's.
    public let reason: String
    public var count: Int

    public init(app: String, environment: PushEnvironment, reason: String, count: Int) {
        self.app = app
        self.environment = environment
        self.reason = reason
        self.count = count
    }
}
