import Foundation
public import PostgresClient
public import PushModel

/// The operator's side of `martlet.credentials`.
public struct CredentialRepository: Sendable {
    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Seals the credential under the keyring's current key and adds it.
    /// - Throws: ``StoreError`` with code `conflict` if it was imported before and not retired,
    ///   ``PostgresError``.
    public func importCredential(
        _ new: NewCredential, of output: String = Job.defaultOutput, keyring: MasterKeyring
    ) async throws -> Credential.ID {
        let id = UUID().uuidString.lowercased()
        let kind: CredentialSummary.Kind
        let (secret, keyID, chain): (Secret, String?, [[UInt8]])
        switch new.kind {
        case .token(let tokenKeyID, let privateKeyPEM):
            (kind, secret, keyID, chain) = (.token, privateKeyPEM, tokenKeyID, [])
        case .certificate(let chainDER, let privateKeyDER):
            (kind, secret, keyID, chain) = (.certificate, privateKeyDER, nil, chainDER)
        case .secret(let bytes): (kind, secret, keyID, chain) = (.secret, bytes, nil, [])
        }
        let sealed = try keyring.seal(
            secret,
            for: CredentialRow.sealedRow(
                id: id, output: output, kind: kind, account: new.account, keyID: keyID, fingerprint: new.fingerprint))
        do {
            try await pool.query(
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
        } catch let error as PostgresError where error.constraint == "credentials_imported_once" {
            throw StoreError(
                .conflict, "\(new.label) was imported before: retire that credential first, see martlet credential list"
            )
        }
        return id
    }

    /// All credentials, the newest first; those that can't be read say so.
    public func list() async throws -> [CredentialSummary] {
        try await pool.query(
            "SELECT \(CredentialRow.summaryColumns) FROM martlet.credentials ORDER BY created_at DESC, id"
        ).map(CredentialRow.summary)
    }

    /// Takes a credential out of use for good.
    /// - Throws: ``StoreError`` with code `notFound`, or `conflict` while an app names it.
    public func retire(_ id: Credential.ID) async throws {
        try await pool.transaction { connection in
            let apps = try await connection.query(
                "SELECT app FROM martlet.app_accounts WHERE credential::text = $1 ORDER BY app", [.text(id)]
            ).map { try $0["app"].text }
            guard apps.isEmpty else {
                throw StoreError(
                    .conflict,
                    "credential \(id) is the explicit one of \(apps.joined(separator: ", ")): change that first")
            }
            let result = try await connection.query(
                "UPDATE martlet.credentials SET state = 'retired' WHERE id::text = $1 AND state <> 'retired'",
                [.text(id)])
            guard result.affectedRows == 1 else {
                throw StoreError(.notFound, "there is no credential \(id), or it is retired already")
            }
        }
    }
}
