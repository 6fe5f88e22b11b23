/// A request to a connection's thread, with the function that receives the answer.
struct Request: Sendable {
    enum Work: Sendable {
        case statement(PostgresStatement)
        /// Several statements in one round trip, carried out as a whole or not at all.
        case batch([PostgresStatement])
        /// A text of several statements, without parameters or results.
        case script(String)
        /// `BEGIN`, `COMMIT` or `ROLLBACK`.
        case transactionControl(String)
    }

    typealias ID = Int

    /// The id of the request, unique within its connection.
    let id: ID
    let work: Work
    /// The time limit for the answer, or `nil` for no limit.
    let timeout: Duration?
    /// The time limit for waiting for a lock. ``timeout`` limits the wait as well.
    let lockTimeout: Duration
    let reply: @Sendable (Result<[PostgresResult], PostgresError>) -> Void

    /// The statement that precedes the work in the same round trip and transaction, or `nil` if there is none.
    ///
    /// With this statement, the server ends each later statement slightly before this client ends the request. Row
    /// security is turned off, so that the server raises an error instead of hiding rows. Hidden rows would look like
    /// removed rows. The settings apply only to the transaction, because behind a pooler other clients share the
    /// session.
    var preamble: PostgresStatement? {
        switch work {
        case .script, .transactionControl: return nil
        case .statement, .batch: break
        }
        guard let timeout else { return nil }
        let ours = timeout * 5 / 6
        return PostgresStatement(
            """
            SELECT pg_catalog.set_config('statement_timeout', '\(milliseconds(ours))', true), \
            pg_catalog.set_config('lock_timeout', '\(milliseconds(min(ours, lockTimeout)))', true), \
            pg_catalog.set_config('row_security', 'off', true)
            """)
    }

    /// Returns a duration in milliseconds, at least 1. The server interprets 0 as no limit.
    private func milliseconds(_ duration: Duration) -> Int { max(1, Int(duration / .milliseconds(1))) }
}
