import PushModel

/// The requirements that a credential must meet to serve a job.
struct RoutingNeed {
    let output: String
    let account: String
    let environment: PushEnvironment
    let topic: String
    /// A wider topic. A key that is limited to it is also accepted.
    let widerTopic: String?
    let refusesCertificates: Bool
    let now: Timestamp
}
