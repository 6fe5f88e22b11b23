import Foundation
public import PostgresClient

/// Which jobs have been taken on: `martlet.claims`. A claim is committed before its job is sent.
public struct ClaimRepository: Sendable {
    private let pool: PostgresPool

    public init(_ pool: PostgresPool) {
        self.pool = pool
    }

    /// Claims what nobody has claimed.
    ///
    /// - Returns: an answer to each request. Of two for one name, the first gets it, or one that follows another.
    /// - Throws: ``PostgresError``.
    public func claim(_ requests: [ClaimRequest]) async throws -> [ClaimAnswer] {
        // One that follows another is asked for first: the name may be its own already.
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

    /// Forgets what is out of date.
    /// - Returns: how many there were.
    /// - Throws: ``PostgresError``.
    @discardableResult
    public func forgetExpired() async throws -> Int {
        var total = 0
        while true {
            let count = try await pool.query(Self.forgetSQL).affectedRows
            total += count
            if count < Self.forgottenAtOnce { return total }
        }
    }

    private static let forgottenAtOnce = 10_000

    /// In the keys' order, so that two statements never wait for each other. A row that is somebody else's is written as it
    /// was, so that it is returned; a conflict waits for an attempt that is still under way.
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
