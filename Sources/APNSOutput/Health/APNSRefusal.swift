public import PushModel

/// APNs refuses a credential, or a credential for one topic, and its jobs wait until that is mended; or most device tokens
/// of an app, for which nobody waits.
public struct APNSRefusal: Sendable, Hashable {
    public struct Subject: Sendable, Hashable {
        public let credential: Credential.ID
        public let environment: PushEnvironment
        /// nil: all topics. What is not the topic as such is said behind it: `com.example.app (device tokens)`.
        public let topic: String?

        public init(credential: Credential.ID, environment: PushEnvironment, topic: String?) {
            self.credential = credential
            self.environment = environment
            self.topic = topic
        }
    }

    public let subject: Subject
    /// Apple's.
    public let reason: String
    public let since: Timestamp

    public enum Event: Sendable, Hashable {
        case began(APNSRefusal)
        case ended(Subject)
        case badTokens(APNSBadTokens)
    }
}
