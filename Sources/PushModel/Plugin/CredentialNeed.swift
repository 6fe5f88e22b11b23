/// What a credential must be good for to send a job.
public struct CredentialNeed: Sendable, Hashable {
    /// What it may be limited to: Apple's topic, say.
    public var topic: String
    /// A key limited to this one will do, too.
    public var widerTopic: String?
    /// Certificates can't be used for it.
    public var refusesCertificates: Bool

    public init(topic: String, widerTopic: String? = nil, refusesCertificates: Bool = false) {
        self.topic = topic
        self.widerTopic = widerTopic
        self.refusesCertificates = refusesCertificates
    }
}
