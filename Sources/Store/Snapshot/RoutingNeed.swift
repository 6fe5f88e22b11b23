import PushModel

/// What a credential must be good for, and whose it must be.
struct RoutingNeed {
    let output: String
    let account: String
    let environment: PushEnvironment
    let topic: String
    /// A key that is limited to this one will do, too.
    let widerTopic: String?
    let refusesCertificates: Bool
    let now: Timestamp
}
