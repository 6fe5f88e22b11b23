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

/// One of the ways in which an app may use a credential.
public struct CredentialUse: Sendable, Hashable {
    public let environment: PushEnvironment
    /// As in a job.
    public let pushType: String
    public let need: CredentialNeed

    public init(environment: PushEnvironment, pushType: String, need: CredentialNeed) {
        self.environment = environment
        self.pushType = pushType
        self.need = need
    }
}
