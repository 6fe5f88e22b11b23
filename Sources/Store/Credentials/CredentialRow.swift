import PostgresClient
import PushModel
import Routing

/// A row of `martlet.credentials` with its sealed secret.
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
        do {
            let (whole, chain) = (try Self.whole(row), try row["certificate_chain"].byteaArray)
            (summary, chainDER) = (whole, chain)
        } catch {
            (summary, chainDER) = (try Self.unreadable(row, error), [])
        }
        sealed = SealedSecret(bytes: try row["sealed_secret"].bytes, masterKeyID: summary.masterKeyID)
    }

    /// Returns the summary of a row. If the row can't be read, the summary has the error, so that the remaining rows
    /// can be used.
    static func summary(_ row: PostgresRow) throws -> CredentialSummary {
        do { return try whole(row) } catch { return try unreadable(row, error) }
    }

    /// Returns the summary of a row that can't be read. Only the error, the id and the text columns except `kind` and
    /// `state` are valid.
    private static func unreadable(_ row: PostgresRow, _ problem: any Error) throws -> CredentialSummary {
        let id = try row["id"].uuid
        return CredentialSummary(
            id: id, output: try row["output"].text, kind: .secret, account: try row["account"].text,
            keyID: try row["key_id"].optional?.text, environments: [], topics: [], notBefore: nil, notAfter: nil,
            state: .active, fingerprint: try row["fingerprint"].text, label: try row["label"].text,
            masterKeyID: try row["master_key_id"].text, createdAt: Timestamp(milliseconds: 0),
            unreadable: .unreadable(table, id, problem))
    }

    private static func whole(_ row: PostgresRow) throws -> CredentialSummary {
        let environments = try row["environments"]
        return CredentialSummary(
            id: try row["id"].uuid, output: try row["output"].text, kind: try row["kind"].known(),
            account: try row["account"].text,
            keyID: try row["key_id"].optional?.text,
            environments: Set(try environments.textArray.map { try PushEnvironment(known: $0, in: environments) }),
            topics: Set(try row["topics"].textArray),
            notBefore: try row["not_before"].optional.map { Timestamp(milliseconds: try $0.milliseconds) },
            notAfter: try row["not_after"].optional.map { Timestamp(milliseconds: try $0.milliseconds) },
            state: try row["state"].known(), fingerprint: try row["fingerprint"].text,
            label: try row["label"].text, masterKeyID: try row["master_key_id"].text,
            createdAt: Timestamp(milliseconds: try row["created_at"].milliseconds))
    }

    /// Returns the data that a secret is bound to: the row, the kind, the account, the key id, the fingerprint, and the
    /// output that may use the secret.
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
        if let problem = summary.unreadable { throw StoreError(problem) }
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
