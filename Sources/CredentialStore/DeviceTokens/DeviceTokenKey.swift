public import PushModel

/// What identifies a device token: a row of `martlet.device_tokens`.
public struct DeviceTokenKey: Sendable, Hashable {
    public let output: String
    public let app: String
    public let environment: PushEnvironment
    /// Hex is kept in lower case and without angle brackets and spaces, so that a token has one form whoever wrote it.
    public let token: String

    public init(output: String, app: String, environment: PushEnvironment, token: String) {
        self.output = output
        self.app = app
        self.environment = environment
        self.token = CanonicalToken.text(of: token)
    }
}
