/// A request to check whether the provider accepts a credential.
public struct CredentialQuestion: Sendable {
    public let credential: Credential
    public let environment: PushEnvironment
    /// The recipient of a push that the check may send, or `nil` to check without delivering a push.
    public let recipient: String?
    /// The topic of the request, or `nil` for a topic that suits the credential.
    public let topic: String?

    public init(credential: Credential, environment: PushEnvironment, recipient: String?, topic: String?) {
        self.credential = credential
        self.environment = environment
        self.recipient = recipient
        self.topic = topic
    }
}
