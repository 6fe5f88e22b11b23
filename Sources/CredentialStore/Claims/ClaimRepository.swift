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
    /// - Parameter owner: a UUID of this call. Repeated with the same one, because it is not known whether the first time
    ///   was committed, the answer is the same.
    /// - Returns: those that nobody else had claimed.
    /// - Throws: ``PostgresError``.
    public func claim(_ keys: [ClaimKey], owner: String) async throws -> Set<ClaimKey> {
        let distinct = Set(keys).sorted { $0.uuid < $1.uuid }
        let rows = try await pool.query(
            Self.claimSQL,
            [.textArray(distinct.map(\.uuid)), .textArray(distinct.map { String($0.seconds) }), .text(owner)])
        let mine = Set(try rows.map { try $0["key"].uuid })
        return Set(distinct.filter { mine.contains($0.uuid) })
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

    /// In the keys' order, so that two statements never wait for each other. What this owner has claimed before it claims
    /// again: also where that attempt, of which nothing was heard, is still under way, since a conflict waits for it.
    private static let claimSQL = """
        INSERT INTO martlet.claims AS old (key, owner, expires_at)
        SELECT key, $3::text::uuid, now() + seconds::integer * interval '1 second'
        FROM unnest($1::text[]::uuid[], $2::text[]) AS wanted (key, seconds)
        ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
            WHERE old.expires_at < now() OR old.owner = excluded.owner
        RETURNING key
        """

    private static let forgetSQL = """
        DELETE FROM martlet.claims WHERE ctid IN (
            SELECT ctid FROM martlet.claims WHERE expires_at < now() LIMIT \(forgottenAtOnce) FOR UPDATE SKIP LOCKED)
        """
}
