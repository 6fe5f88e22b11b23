package import PushModel
import Store
package import Routing

extension CredentialSummary {
    package static func sample(_ id: String, notAfter: Timestamp?, state: State = .active) -> CredentialSummary {
        CredentialSummary(
            id: id, kind: .certificate, account: "TEAM000001", keyID: nil, environments: [.production],
            topics: ["com.example.shop"], notBefore: nil, notAfter: notAfter, state: state, fingerprint: id,
            label: #"my "label""#, masterKeyID: "2026-11", createdAt: Timestamp(seconds: 0))
    }
}
