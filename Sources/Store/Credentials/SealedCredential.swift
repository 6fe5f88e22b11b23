import Foundation
import PostgresClient
import PushModel
import Routing

/// A credential whose secret is sealed, in the form of its database row.
struct SealedCredential {
    /// The unique index that allows a key or certificate to be in use only once.
    static let importedOnce = "credentials_imported_once"

    let id: Credential.ID
    let sealed: SealedSecret
    private let new: NewCredential
    private let output: String
    private let kind: CredentialSummary.Kind
    private let keyID: String?
    private let chain: [[UInt8]]

    /// Seals the secret of a new credential.
    ///
    /// - Throws: ``StoreError``.
    init(
        _ new: NewCredential, of output: String, id: Credential.ID = UUID().uuidString.lowercased(),
        keyring: MasterKeyring
    ) throws {
        (self.new, self.output, self.id) = (new, output, id)
        let secret: Secret
        switch new.kind {
        case .token(let tokenKeyID, let privateKeyPEM):
            (kind, secret, keyID, chain) = (.token, privateKeyPEM, tokenKeyID, [])
        case .certificate(let chainDER, let privateKeyDER):
            (kind, secret, keyID, chain) = (.certificate, privateKeyDER, nil, chainDER)
        case .secret(let bytes): (kind, secret, keyID, chain) = (.secret, bytes, nil, [])
        }
        sealed = try keyring.seal(
            secret,
            for: CredentialRow.sealedRow(
                id: id, output: output, kind: kind, account: new.account, keyID: keyID, fingerprint: new.fingerprint))
    }

    var insertion: PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO martlet.credentials
                (id, output, kind, account, key_id, environments, topics, certificate_chain, sealed_secret, master_key_id,
                 not_before, not_after, fingerprint, label)
            VALUES ($1, $2, $3, $4, $5, $6::text[]::martlet.environment[], $7, $8, $9, $10, $11, $12, $13, $14)
            """,
            [
                .text(id), .text(output), .text(kind.rawValue), .text(new.account), .text(keyID),
                .textArray(new.environments.map(\.rawValue).sorted()), .textArray(new.topics.sorted()),
                .byteaArray(chain), .bytea(sealed.bytes), .text(sealed.masterKeyID),
                .timestamp(milliseconds: new.notBefore?.milliseconds),
                .timestamp(milliseconds: new.notAfter?.milliseconds), .text(new.fingerprint), .text(new.label),
            ])
    }
}
