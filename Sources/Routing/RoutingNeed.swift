import PushModel

/// The requirements that a credential must meet to serve a job.
struct RoutingNeed {
    let output: String
    let account: String
    let environment: PushEnvironment
    let topic: String
    /// A wider topic that covers ``topic``, or `nil` if there is none. A key that is limited to the wider topic is also
    /// accepted.
    let widerTopic: String?
    let refusesCertificates: Bool
    let now: Timestamp
}
