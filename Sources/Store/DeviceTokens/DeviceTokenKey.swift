public import PushModel

/// What identifies a device token: a row of `martlet.device_tokens`.
public struct DeviceTokenKey: Sendable, Hashable {
    public let output: String
    public let app: String
    public let environment: PushEnvironment
    /// The whole address, in its one form, whoever wrote it.
    public let token: String

    /// - Parameter form: that of the output's recipients.
    public init(output: String, app: String, environment: PushEnvironment, form: RecipientForm, token: String) {
        self.output = output
        self.app = app
        self.environment = environment
        self.token = form.canonical(token)
    }

    var filed: FiledAddress { FiledAddress(token) }
}
