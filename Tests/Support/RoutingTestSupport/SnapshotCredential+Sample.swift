import PushModel
package import Routing

extension SnapshotCredential {
    package static func opened(_ summary: CredentialSummary) -> SnapshotCredential {
        SnapshotCredential(
            summary: summary,
            opened: .success(
                Credential(
                    id: summary.id, kind: .token(keyID: "KEY0000001", privateKeyPEM: Secret([])),
                    account: summary.account,
                    environments: summary.environments, topics: summary.topics)))
    }

    package static func unopened(_ summary: CredentialSummary, _ message: String) -> SnapshotCredential {
        SnapshotCredential(summary: summary, opened: .failure(RowError(message)))
    }
}
