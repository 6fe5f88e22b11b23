import Foundation
package import PostgresClient

/// The claims of jobs, stored in `martlet.claims`. A claim is committed before its job is sent.
package struct ClaimRepository: Sendable {
    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Claims the names that are free. A request also succeeds if its owner or its predecessor already holds the name.
    ///
    /// - Returns: the answer to each request. If several requests have the same name, the claim goes to the first one
    ///   with a predecessor, or to the first one if none has a predecessor.
    /// - Throws: ``PostgresError``.
    package func claim(_ requests: [ClaimRequest]) async throws -> [ClaimAnswer] {
        // A request with a predecessor takes precedence, because the predecessor may already hold the name.
        let distinct = Dictionary(requests.map { ($0.key.uuid, $0) }) { first, second in
            first.predecessor == nil && second.predecessor != nil ? second : first
        }.values
            .sorted { $0.key.uuid < $1.key.uuid }
        let rows = try await pool.query(
            Self.claimSQL,
            [
                .textArray(distinct.map(\.key.uuid)), .textArray(distinct.map(\.owner)),
                .textArray(distinct.map { $0.predecessor ?? $0.owner }),
                .textArray(distinct.map { $0.content?.uuid ?? "" }),
                .textArray(distinct.map { String($0.key.seconds) }),
            ])
        var holders: [String: (owner: String, content: String?)] = [:]
        for row in rows {
            holders[try row["key"].uuid] = (try row["owner"].uuid, try row["content"].optional?.uuid)
        }
        return requests.map { request in
            guard let holder = holders[request.key.uuid] else { return .taken }
            if holder.owner == request.owner { return .claimed }
            guard let held = holder.content, let content = request.content?.uuid else { return .taken }
            return held == content ? .taken : .differs
        }
    }

    /// Deletes expired claims.
    /// - Returns: the number of deleted claims.
    /// - Throws: ``PostgresError``.
    @discardableResult
    package func forgetExpired() async throws -> Int {
        var total = 0
        while true {
            let count = try await pool.query(Self.forgetSQL).affectedRows
            total += count
            if count < Self.forgottenAtOnce { return total }
        }
    }

    private static let forgottenAtOnce = 10_000

    /// The statement that claims names. It writes rows in key order, so that two statements never deadlock. It rewrites
    /// a row of another owner without changes, so that the row is returned. If a concurrent statement claims the same
    /// key, the second statement waits until the first one ends.
    private static let claimSQL = """
        WITH wanted AS (
            SELECT key, owner, predecessor, nullif(content, '')::uuid AS content,
                now() + seconds::integer * interval '1 second' AS expires_at
            FROM unnest($1::text[]::uuid[], $2::text[]::uuid[], $3::text[]::uuid[], $4::text[], $5::text[])
                AS wanted (key, owner, predecessor, content, seconds))
        INSERT INTO martlet.claims AS old (key, owner, content, expires_at)
        SELECT key, owner, content, expires_at FROM wanted
        ON CONFLICT (key) DO UPDATE SET (owner, content, expires_at) = (
            SELECT CASE WHEN passes THEN excluded.owner ELSE old.owner END,
                CASE WHEN passes THEN excluded.content ELSE old.content END,
                CASE WHEN passes THEN excluded.expires_at ELSE old.expires_at END
            FROM (SELECT old.expires_at < now() OR old.owner IN (wanted.owner, wanted.predecessor) AS passes
                FROM wanted WHERE wanted.key = old.key) AS judged)
        RETURNING key, owner, content
        """

    private static let forgetSQL = """
        DELETE FROM martlet.claims WHERE ctid IN (
            SELECT ctid FROM martlet.claims WHERE expires_at < now() LIMIT \(forgottenAtOnce) FOR UPDATE SKIP LOCKED)
        """
}
