package import PushModel
package import Routing

/// Routing with Apple's rules about topics, as in the APNs output.
extension Snapshot {
    private static let apns = OutputAccounts(name: "apns", accountName: "team")

    private func need(_ app: String, _ topic: String, _ needsToken: Bool) -> CredentialNeed {
        CredentialNeed(
            topic: topic, widerTopic: topic.hasPrefix(app + ".") ? app : nil, refusesCertificates: needsToken)
    }

    package func route(
        app: String, environment: PushEnvironment?, topic: String, needsToken: Bool = false,
        named: Credential.ID? = nil, at now: Timestamp = .now
    ) -> Result<Route, RoutingFailure> {
        route(
            app: app, with: Self.apns, environment: environment, need: need(app, topic, needsToken), named: named,
            at: now)
    }

    package func candidates(
        app: String, environment: PushEnvironment?, topic: String, needsToken: Bool = false,
        named: Credential.ID? = nil, at now: Timestamp = .now
    ) -> [RoutingCandidate]? {
        candidates(
            app: app, with: Self.apns, environment: environment, need: need(app, topic, needsToken), named: named,
            at: now)
    }
}
