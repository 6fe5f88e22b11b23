package import PushModel

/// The key of a device token, which identifies a row of `martlet.device_tokens`.
package struct DeviceTokenKey: Sendable, Hashable {
    package let output: String
    package let app: String
    package let environment: PushEnvironment
    /// The complete address in canonical form.
    package let token: String

    /// Creates a key from an address, which is converted to its canonical form.
    /// - Parameter form: the form of the output's addresses.
    package init(output: String, app: String, environment: PushEnvironment, form: RecipientForm, token: String) {
        self.output = output
        self.app = app
        self.environment = environment
        self.token = form.canonical(token)
    }

    var filed: FiledAddress { FiledAddress(token) }
}
