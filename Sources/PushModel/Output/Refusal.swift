/// A provider's refusal of a credential, either for one topic or for all topics. The affected jobs wait until the cause
/// is corrected. A refusal may also report that a provider rejects most recipients of an app. In this case, no job
/// waits.
public struct Refusal: Sendable, Hashable {
    /// The credential, environment and topic that a refusal affects.
    public struct Subject: Sendable, Hashable {
        public let credential: Credential.ID
        public let environment: PushEnvironment
        /// The topic, or `nil` for all topics. A qualifier may follow in parentheses: `com.example.app (device
        /// tokens)`.
        public let topic: String?

        public init(credential: Credential.ID, environment: PushEnvironment, topic: String?) {
            self.credential = credential
            self.environment = environment
            self.topic = topic
        }
    }

    public enum Event: Sendable, Hashable {
        case began(Refusal)
        case ended(Subject)
        case badTokens(BadTokens)
    }

    public let subject: Subject
    /// The provider's reason for the refusal.
    public let reason: String
    /// The time at which the refusal began.
    public let since: Timestamp

    public init(subject: Subject, reason: String, since: Timestamp) {
        self.subject = subject
        self.reason = reason
        self.since = since
    }

    public init(
        credential: Credential.ID, environment: PushEnvironment, topic: String?, reason: String, since: Timestamp
    ) {
        self.init(
            subject: Subject(credential: credential, environment: environment, topic: topic), reason: reason,
            since: since)
    }

    public var credential: Credential.ID { subject.credential }
    public var environment: PushEnvironment { subject.environment }
    public var topic: String? { subject.topic }
}
