/// The requirements that a job has for its credential.
public struct CredentialNeed: Sendable, Hashable {
    /// The topic that the credential must cover, for example Apple's topic.
    public var topic: String
    /// A wider topic, if any. A key that is limited to it is accepted too.
    public var widerTopic: String?
    /// Whether certificates cannot be used.
    public var refusesCertificates: Bool

    public init(topic: String, widerTopic: String? = nil, refusesCertificates: Bool = false) {
        self.topic = topic
        self.widerTopic = widerTopic
        self.refusesCertificates = refusesCertificates
    }
}
