import PostgresClient
import PushModel

/// How a row of `martlet.credentials` is read.
struct CredentialRow {
    static let table = "martlet.credentials"
    static let summaryColumns = """
        id, output, kind, account, key_id, environments::text[], topics, not_before, not_after, state, fingerprint, label, \
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
            id: try row["id"].uuid, output: try row["output"].text, kind: try known(row["kind"].text, "kind"),
            account: try row["account"].text,
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
            throw StoreError(
                .invalidField, "the database has a credential of \(column) \(text), which this version does not know")
        }
        return value
    }

    /// What the secret is bound to: the row, under which names the provider knows the key, and which output may use it.
    static func sealedRow(
        id: Credential.ID, output: String, kind: CredentialSummary.Kind, account: String, keyID: String?,
        fingerprint: String
    ) -> SealedRow {
        SealedRow(
            table: table, id: id, kind: kind.rawValue,
            names: [account, keyID ?? "", fingerprint], output: output)
    }

    private var sealedRow: SealedRow {
        Self.sealedRow(
            id: summary.id, output: summary.output, kind: summary.kind, account: summary.account,
            keyID: summary.keyID, fingerprint: summary.fingerprint)
    }

    func open(with keyring: MasterKeyring) throws(StoreError) -> Credential {
        let secret = try keyring.open(sealed, for: sealedRow)
        let kind: Credential.Kind =
            switch summary.kind {
            case .token: .token(keyID: summary.keyID ?? "", privateKeyPEM: secret)
            case .certificate: .certificate(chainDER: chainDER, privateKeyDER: secret)
            case .secret: .secret(secret)
            }
        return Credential(summary, kind: kind)
    }
}

extension Credential {
    convenience init(_ summary: CredentialSummary, kind: Kind) {
        self.init(
            id: summary.id, output: summary.output, kind: kind, account: summary.account,
            environments: summary.environments, topics: summary.topics)
    }
}
