/// The requirements that a job has for its credential.
public struct CredentialNeed: Sendable, Hashable {
    /// The topic that the credential must cover, for example Apple's topic.
    public var topic: String
    /// A wider topic, or `nil` if there is none. A key that is limited to the wider topic is accepted as well.
    public var widerTopic: String?
    /// Whether the job excludes certificates, so that only other credentials can be used.
    public var refusesCertificates: Bool

    public init(topic: String, widerTopic: String? = nil, refusesCertificates: Bool = false) {
        self.topic = topic
        self.widerTopic = widerTopic
        self.refusesCertificates = refusesCertificates
    }
}
