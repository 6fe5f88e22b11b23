/// A combination of environment and push type for which an app may need a credential.
public struct CredentialUse: Sendable, Hashable {
    public let environment: PushEnvironment
    /// The push type as a job names it.
    public let pushType: String
    public let need: CredentialNeed

    public init(environment: PushEnvironment, pushType: String, need: CredentialNeed) {
        self.environment = environment
        self.pushType = pushType
        self.need = need
    }
}
