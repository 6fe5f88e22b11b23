package import PostgresClient
package import PushModel

/// The provider tokens that the fleet shares, stored in `martlet.provider_tokens`.
///
/// Only the database's clock counts, so workers with differing clocks can't create a token too early. A token belongs
/// to a key and not to a credential. A key that was retired and imported again therefore keeps its token.
package struct SharedTokenRepository: SharedTokenStore {
    private let pool: PostgresPool
    private let keyring: MasterKeyring
    private let now: (@Sendable () -> Timestamp)?

    package init(_ pool: PostgresPool, keyring: MasterKeyring) {
        self.init(pool, keyring: keyring, now: nil)
    }

    /// Creates a repository.
    ///
    /// - Parameter now: returns the time in tests, or `nil` to use the database's clock.
    package init(_ pool: PostgresPool, keyring: MasterKeyring, now: (@Sendable () -> Timestamp)?) {
        self.pool = pool
        self.keyring = keyring
        self.now = now
    }

    /// Returns the newest token of the credential's key, or signs a new token if there is none or it is too old.
    ///
    /// - Throws: ``PostgresError``; ``StoreError`` with code `notFound` if the credential does not exist, or with code
    ///   `missingMasterKey` or `sealBroken` if the stored token can't be opened. Such a token is replaced only when it
    ///   is too old.
    package func token(
        of credential: Credential.ID, youngerThan age: Int64, sign: @Sendable (Timestamp) throws -> Secret
    ) async throws -> SharedToken {
        let read = PostgresStatement(Self.newestSQL, [.text(credential)])
        let newest = try newest(try await pool.query(read.sql, read.parameters))
        if let stored = newest.stored, newest.isYounger(than: age) { return try open(stored, at: newest.now) }
        return try await pool.transaction { connection in
            // Each statement sees what is committed when it begins. A transaction that waited for the lock therefore
            // reads the token that the previous holder of the lock wrote.
            let results = try await connection.batch([
                PostgresStatement("SET LOCAL lock_timeout = '5s'"),
                PostgresStatement(Self.lockSQL, [.text(credential)]), read,
            ])
            guard !results[1].isEmpty else {
                throw StoreError(.notFound, "there is no token credential \(credential)")
            }
            let newest = try self.newest(results[2])
            if let stored = newest.stored, newest.isYounger(than: age) { return try open(stored, at: newest.now) }
            let token = try sign(newest.now)
            let sealed = try keyring.seal(token, for: Self.sealedRow(credential))
            try await connection.query(
                Self.writeSQL,
                [
                    .text(credential), .bytea(sealed.bytes), .text(sealed.masterKeyID),
                    .timestamp(milliseconds: newest.now.milliseconds),
                ])
            return SharedToken(token: token, issuedAt: newest.now, age: 0)
        }
    }

    private struct Stored {
        let credential: Credential.ID
        let sealed: SealedSecret
        let issuedAt: Timestamp
    }

    private struct Newest {
        let now: Timestamp
        let stored: Stored?

        /// Returns whether the stored token was issued less than `age` milliseconds ago, or `false` if there is none.
        /// After the clock was set back, the token's time may be in the future. Such a token counts as young if its
        /// time is less than `age` milliseconds ahead. If it is further ahead, the provider rejects the token.
        func isYounger(than age: Int64) -> Bool {
            guard let stored else { return false }
            return abs(now.milliseconds - stored.issuedAt.milliseconds) < age
        }
    }

    private func newest(_ result: PostgresResult) throws -> Newest {
        guard let row = result.first else {
            throw PostgresError(.unexpectedResult, "the database returned no row for a provider token")
        }
        let stored = try row["credential"].optional.map { credential in
            Stored(
                credential: try credential.uuid,
                sealed: SealedSecret(
                    bytes: try row["sealed_token"].bytes, masterKeyID: try row["master_key_id"].text),
                issuedAt: Timestamp(milliseconds: try row["issued_at"].milliseconds))
        }
        return Newest(
            now: try now?() ?? Timestamp(milliseconds: row["now"].milliseconds), stored: stored)
    }

    private func open(_ stored: Stored, at now: Timestamp) throws -> SharedToken {
        SharedToken(
            token: try keyring.open(stored.sealed, for: Self.sealedRow(stored.credential)),
            issuedAt: stored.issuedAt, age: max(0, now.milliseconds - stored.issuedAt.milliseconds))
    }

    static func sealedRow(_ credential: Credential.ID) -> SealedRow {
        SealedRow(table: "martlet.provider_tokens", id: credential, kind: "jwt")
    }

    /// The join of a credential with all credentials whose tokens are interchangeable. Such credentials have the same
    /// key, output, account and key id.
    private static let sameKeySQL = """
        martlet.credentials AS mine JOIN martlet.credentials AS same
            ON (same.output, same.fingerprint, same.account) = (mine.output, mine.fingerprint, mine.account)
                AND same.key_id IS NOT DISTINCT FROM mine.key_id
        """

    /// The query for the time and the newest token, which always returns one row. It ignores tokens without a finite
    /// time. It also ignores tokens that are too short, because the nonce and the tag alone take 28 bytes.
    private static let newestSQL = """
        SELECT clock_timestamp() AS now, newest.* FROM (SELECT 1) AS always LEFT JOIN LATERAL (
            SELECT tokens.credential, tokens.sealed_token, tokens.master_key_id, tokens.issued_at
            FROM \(sameKeySQL) JOIN martlet.provider_tokens AS tokens ON tokens.credential = same.id
            WHERE mine.id = $1 AND isfinite(tokens.issued_at) AND octet_length(tokens.sealed_token) > 28
            ORDER BY tokens.issued_at DESC LIMIT 1) AS newest ON true
        """

    /// The statement that locks all credentials with the same key. It locks credentials and not tokens, because there
    /// may be no token yet. A row lock requires the right to update credentials. Workers lack this right, so the
    /// statement calls a function that has it.
    private static let lockSQL = "SELECT martlet.lock_key($1::uuid)"

    private static let writeSQL = """
        INSERT INTO martlet.provider_tokens (credential, sealed_token, master_key_id, issued_at)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (credential) DO UPDATE SET sealed_token = excluded.sealed_token,
            master_key_id = excluded.master_key_id, issued_at = excluded.issued_at
        """
}
