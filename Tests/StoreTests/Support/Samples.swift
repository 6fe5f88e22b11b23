import PushModel
import Store

extension MasterKeyring {
    static func sample(_ id: String = "2026-11", fill: String = "A") throws -> MasterKeyring {
        try MasterKeyring(text: "\(id) \(String(repeating: fill, count: 43))=", source: "sample")
    }
}

extension CredentialSummary {
    /// Returns a sample with the properties that routing uses.
    static func sample(
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

extension SnapshotCredential {
    static func opened(_ summary: CredentialSummary) -> SnapshotCredential {
        SnapshotCredential(
            summary: summary,
            opened: .success(
                Credential(
                    id: summary.id, kind: .token(keyID: "KEY0000001", privateKeyPEM: Secret([])),
                    account: summary.account,
                    environments: summary.environments, topics: summary.topics)))
    }

    static func unopened(_ summary: CredentialSummary, _ message: String) -> SnapshotCredential {
        SnapshotCredential(summary: summary, opened: .failure(StoreError(.missingMasterKey, message)))
    }
}

extension NewCredential {
    static func sampleKey(
        _ fingerprint: String, team: String = "TEAM000001", secret: String = "a private key", topics: Set<String> = []
    ) -> NewCredential {
        NewCredential(
            kind: .token(keyID: "KEY0000001", privateKeyPEM: Secret(Array(secret.utf8))), account: team,
            environments: [.production, .sandbox], topics: topics, fingerprint: fingerprint, label: "key \(fingerprint)"
        )
    }

    static func sampleCertificate(_ fingerprint: String, topic: String, team: String = "TEAM000001") -> NewCredential {
        NewCredential(
            kind: .certificate(chainDER: [[1, 2], [3]], privateKeyDER: Secret([9, 9])), account: team,
            environments: [.production], topics: [topic], notBefore: Timestamp(seconds: 1_700_000_000),
            notAfter: Timestamp(seconds: 4_000_000_000), fingerprint: fingerprint, label: "certificate \(fingerprint)")
    }
}

/// Routing with Apple's rules about topics, as in the APNs output.
extension Snapshot {
    private static let apns = OutputAccounts(name: "apns", accountName: "team")

    private func need(_ app: String, _ topic: String, _ needsToken: Bool) -> CredentialNeed {
        CredentialNeed(
            topic: topic, widerTopic: topic.hasPrefix(app + ".") ? app : nil, refusesCertificates: needsToken)
    }

    func route(
        app: String, environment: PushEnvironment?, topic: String, needsToken: Bool = false,
        named: Credential.ID? = nil, at now: Timestamp = .now
    ) -> Result<Route, RoutingFailure> {
        route(
            app: app, with: Self.apns, environment: environment, need: need(app, topic, needsToken), named: named,
            at: now)
    }

    func candidates(
        app: String, environment: PushEnvironment?, topic: String, needsToken: Bool = false,
        named: Credential.ID? = nil, at now: Timestamp = .now
    ) -> [RoutingCandidate]? {
        candidates(
            app: app, with: Self.apns, environment: environment, need: need(app, topic, needsToken), named: named,
            at: now)
    }
}
