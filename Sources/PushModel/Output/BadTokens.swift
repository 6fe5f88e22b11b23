/// A number of device tokens of one app that a provider rejected as bad.
public struct BadTokens: Sendable, Hashable {
    public let app: String
    public let environment: PushEnvironment
    /// The provider's reason for rejecting the tokens.
    public let reason: String
    public var count: Int

    public init(app: String, environment: PushEnvironment, reason: String, count: Int) {
        self.app = app
        self.environment = environment
        self.reason = reason
        self.count = count
    }
}
