import PostgresClient
import PushModel

/// How a row of `martlet.credentials` is read.
struct CredentialRow {
    static let table = "martlet.credentials"
    static let summaryColumns = """
        id, kind, team, key_id, environments::text[], topics, not_before, not_after, state, fingerprint, label, \
        master_key_id, created_at
        """
    static let columns = summaryColumns + ", certificate_chain, sealed_secret"

    let summary: CredentialSummary
    private let chainDER: [[UInt8]]
    private let sealed: SealedSecret

    init(_ row: PostgresRow) throws {
        summary = try Self.summary(row)
        chainDER = try row["certificate_chain"].byteaArray
        sealed = SealedSecret(bytes: try row["sealed_secret"].bytes, masterKeyID: summary.masterKeyID)
    }

    static func summary(_ row: PostgresRow) throws -> CredentialSummary {
        CredentialSummary(
            id: try row["id"].uuid, kind: try known(row["kind"].text, "kind"), team: try row["team"].text,
            keyID: try row["key_id"].optional?.text,
            environments: Set(try row["environments"].textArray.map { try PushEnvironment(column: $0) }),
            topics: Set(try row["topics"].textArray),
            notBefore: try row["not_before"].optional.map { Timestamp(milliseconds: try $0.milliseconds) },
            notAfter: try row["not_after"].optional.map { Timestamp(milliseconds: try $0.milliseconds) },
            state: try known(row["state"].text, "state"), fingerprint: try row["fingerprint"].text,
            label: try row["label"].text, masterKeyID: try row["master_key_id"].text,
            createdAt: Timestamp(milliseconds: try row["created_at"].milliseconds))
    }

    private static func known<Value: RawRepresentable<String>>(_ text: String, _ column: String) throws -> Value {
        guard let value = Value(rawValue: text) else {
            throw CredentialStoreError(
                .invalidField, "the database has a credential of \(column) \(text), which this version does not know")
        }
        return value
    }

    /// What the secret is bound to: the row, and under which names Apple knows the key.
    static func sealedRow(
        id: Credential.ID, kind: CredentialSummary.Kind, team: String, keyID: String?, fingerprint: String
    ) -> SealedRow {
        SealedRow(table: table, id: id, kind: kind.rawValue, names: [team, keyID ?? "", fingerprint])
    }

    private var sealedRow: SealedRow {
        Self.sealedRow(
            id: summary.id, kind: summary.kind, team: summary.team, keyID: summary.keyID,
            fingerprint: summary.fingerprint)
    }

    func open(with keyring: MasterKeyring) throws(CredentialStoreError) -> Credential {
        let secret = try keyring.open(sealed, for: sealedRow)
        let kind: Credential.Kind =
            switch summary.kind {
            case .token: .token(keyID: summary.keyID ?? "", privateKeyPEM: secret)
            case .certificate: .certificate(chainDER: chainDER, privateKeyDER: secret)
            }
        return Credential(summary, kind: kind)
    }
}

extension Credential {
    init(_ summary: CredentialSummary, kind: Kind) {
        self.init(
            id: summary.id, kind: kind, team: summary.team, environments: summary.environments,
            topics: summary.topics)
    }
}
