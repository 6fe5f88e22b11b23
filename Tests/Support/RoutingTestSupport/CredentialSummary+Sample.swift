package import PushModel
package import Routing

extension CredentialSummary {
    /// Returns a sample with the properties that routing uses.
    package static func sample(
        _ id: String, _ kind: Kind, team: String = "TEAM000001",
        environments: Set<PushEnvironment> = [.production, .sandbox], topics: Set<String> = [],
        notBefore: Timestamp? = nil, notAfter: Timestamp? = nil, state: State = .active, createdAt: Int64 = 0
    ) -> CredentialSummary {
        CredentialSummary(
            id: id, kind: kind, account: team, keyID: kind == .token ? "KEY0000001" : nil, environments: environments,
            topics: topics, notBefore: notBefore, notAfter: notAfter, state: state, fingerprint: id, label: "sample",
            masterKeyID: "2026-11", createdAt: Timestamp(seconds: createdAt))
    }
}
