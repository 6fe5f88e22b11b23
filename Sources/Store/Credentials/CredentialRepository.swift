package import PostgresClient
package import PushModel
package import Routing

/// The credentials, stored in `martlet.credentials`. Operators list and change them here.
package struct CredentialRepository: Sendable {
    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Seals the credential under the keyring's current key and adds it.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if the credential was imported before and is not retired;
    ///   ``PostgresError``.
    package func importCredential(
        _ new: NewCredential, of output: String = Job.defaultOutput, keyring: MasterKeyring
    ) async throws -> Credential.ID {
        let row = try SealedCredential(new, of: output, keyring: keyring)
        do {
            try await pool.query(row.insertion.sql, row.insertion.parameters)
        } catch let error as PostgresError where error.constraint == SealedCredential.importedOnce {
            throw StoreError(
                .conflict, "\(new.label) was already imported: retire it first (see 'martlet credential list')"
            )
        }
        return row.id
    }

    /// Adds a credential for an account whose addresses are bound to its key. The account must not have another key in
    /// use, because routing would choose the new key for addresses of the old one. Adding the same key again changes
    /// nothing.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if the account has another key in use, or if the same key is in
    ///   use with different details; ``PostgresError``.
    package func importBoundCredential(
        _ new: NewCredential, of output: String, keyring: MasterKeyring
    ) async throws -> BoundImport {
        let row = try SealedCredential(new, of: output, keyring: keyring)
        return try await pool.transaction { connection in
            // A lock serializes two operators who each add a key, so that the second operator sees the row of the
            // first.
            try await connection.query(
                "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text("martlet.credentials \(output)")])
            let others = try await connection.query(
                """
                SELECT \(CredentialRow.columns) FROM martlet.credentials
                WHERE output = $1 AND state <> 'retired' AND (account = $2 OR fingerprint = $3) ORDER BY created_at DESC
                """, [.text(output), .text(new.account), .text(new.fingerprint)]
            ).map(CredentialRow.init)
            if let same = others.first(where: { $0.summary.fingerprint == new.fingerprint }) {
                guard same.summary.account == new.account, try same.open(with: keyring).kind == new.kind,
                    same.summary.topics == new.topics
                else { throw Self.conflict(withSameKey: same.summary) }
                return .unchanged(same.summary.id)
            }
            if let other = others.first { throw Self.conflict(withBound: other.summary) }
            try await connection.query(row.insertion.sql, row.insertion.parameters)
            return .added(row.id)
        }
    }

    private static func conflict(withSameKey other: CredentialSummary) -> StoreError {
        StoreError(
            .conflict,
            "this key is already credential \(other.id) of \(other.account), with different details: change them with "
                + "'martlet credential set', or retire that credential first")
    }

    private static func conflict(withBound other: CredentialSummary) -> StoreError {
        StoreError(
            .conflict,
            "\(other.account) has the key \(other.id) (\(other.label)) in use, and addresses of \(other.output) work "
                + "only with their original key, so a second key would fail for all of them. For new addresses, add "
                + "the new key to another account, and assign that account to another app; subscribers move when they "
                + "subscribe there. Retire \(other.id) first only if its addresses are no longer used")
    }

    /// Changes the label and the sealed details of a credential in use, such as its subject. The key stays the same, so
    /// workers continue without a failed push.
    ///
    /// - Parameter change: a function that receives the stored credential and returns the changed one.
    /// - Throws: ``StoreError`` with code `notFound`, with code `invalidField` if `change` returns another key or
    ///   account, or with the reason why the credential can't be opened; `PostgresError`; errors of `change`.
    package func change(
        _ id: Credential.ID, keyring: MasterKeyring,
        _ change: @Sendable (CredentialSummary, Credential) throws -> NewCredential
    ) async throws {
        try await pool.transaction { connection in
            let rows = try await connection.query(
                """
                SELECT \(CredentialRow.columns) FROM martlet.credentials WHERE id::text = $1 AND state <> 'retired' FOR UPDATE
                """, [.text(id)])
            guard let row = try rows.first.map(CredentialRow.init) else {
                throw StoreError(.notFound, "there is no credential \(id), or it is retired")
            }
            let new = try change(row.summary, try row.open(with: keyring))
            guard new.fingerprint == row.summary.fingerprint, new.account == row.summary.account else {
                throw StoreError(.invalidField, "credential \(id): key and account cannot be changed")
            }
            let changed = try SealedCredential(new, of: row.summary.output, id: row.summary.id, keyring: keyring)
            try await connection.query(
                "UPDATE martlet.credentials SET sealed_secret = $2, master_key_id = $3, label = $4 WHERE id = $1::uuid",
                [
                    .text(row.summary.id), .bytea(changed.sealed.bytes), .text(changed.sealed.masterKeyID),
                    .text(new.label),
                ])
        }
    }

    /// Returns all credentials, newest first. For rows that can't be read, ``CredentialSummary/unreadable`` has the
    /// reason.
    package func list() async throws -> [CredentialSummary] {
        try await pool.query(
            "SELECT \(CredentialRow.summaryColumns) FROM martlet.credentials ORDER BY created_at DESC, id"
        ).map(CredentialRow.summary)
    }

    /// Takes a credential out of use permanently.
    ///
    /// - Parameter boundOutputs: the outputs whose addresses are bound to a key. The last key of an account is not
    ///   retired while an app has the account, because the app's recipients would become unreachable.
    /// - Throws: ``StoreError`` with code `notFound`, or `conflict` while an app names or needs the credential.
    package func retire(_ id: Credential.ID, boundOutputs: Set<String> = []) async throws {
        try await pool.transaction { connection in
            let apps = try await connection.query(
                "SELECT app FROM martlet.app_accounts WHERE credential::text = $1 ORDER BY app", [.text(id)]
            ).map { try $0["app"].text }
            guard apps.isEmpty else {
                throw StoreError(
                    .conflict,
                    "credential \(id) is set explicitly for \(apps.joined(separator: ", ")): change these apps first")
            }
            let bound = try await connection.query(
                """
                SELECT app FROM martlet.app_accounts JOIN martlet.credentials AS credential USING (output, account)
                WHERE credential.id::text = $1 AND credential.state <> 'retired' AND output = ANY ($2)
                    AND NOT EXISTS (SELECT FROM martlet.credentials AS other WHERE other.output = credential.output
                        AND other.account = credential.account AND other.state <> 'retired' AND other.id <> credential.id)
                ORDER BY app
                """, [.text(id), .textArray(boundOutputs.sorted())]
            ).map { try $0["app"].text }
            guard bound.isEmpty else {
                throw StoreError(
                    .conflict,
                    "credential \(id) is the only key for the addresses of \(bound.joined(separator: ", ")), which work with "
                        + "no other key: retiring it makes them unreachable forever. To retire it anyway, pass --lose-addresses"
                )
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
