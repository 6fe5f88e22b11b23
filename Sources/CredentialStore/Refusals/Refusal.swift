public import PushModel

/// A provider refuses a credential, or a credential for one topic, and its jobs wait until that is mended.
public struct Refusal: Sendable, Hashable {
    public let credential: Credential.ID
    public let environment: PushEnvironment
    /// nil: all topics.
    public let topic: String?
    /// The provider's.
    public let reason: String
    public let since: Timestamp

    public init(
        credential: Credential.ID, environment: PushEnvironment, topic: String?, reason: String, since: Timestamp
    ) {
        self.credential = credential
        self.environment = environment
        self.topic = topic
        self.reason = reason
        self.since = since
    }
}
