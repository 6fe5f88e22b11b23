/// A credential that may be refused, and how to find out.
public struct CredentialQuestion: Sendable {
    public let credential: Credential
    public let environment: PushEnvironment
    /// To whom a push goes that shows nothing; nil: nothing is delivered.
    public let recipient: String?
    /// Of the request; nil: one that suits the credential.
    public let topic: String?

    public init(credential: Credential, environment: PushEnvironment, recipient: String?, topic: String?) {
        self.credential = credential
        self.environment = environment
        self.recipient = recipient
        self.topic = topic
    }
}
