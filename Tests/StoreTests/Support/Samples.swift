import PushModel
import Store

extension MasterKeyring {
    static func sample(_ id: String = "2026-11", fill: String = "A") throws -> MasterKeyring {
        try MasterKeyring(text: "\(id) \(String(repeating: fill, count: 43))=", source: "sample")
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
