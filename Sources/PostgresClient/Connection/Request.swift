/// What a connection is asked to carry out, and whom to tell.
struct Request: Sendable {
    enum Work: Sendable {
        case statement(PostgresStatement)
        /// One round trip, all or nothing.
        case batch([PostgresStatement])
        /// Several statements in one text, without parameters or results.
        case script(String)
        /// `BEGIN`, `COMMIT` or `ROLLBACK`.
        case transactionControl(String)
    }

    typealias ID = Int

    /// One of its connection.
    let id: ID
    let work: Work
    let timeout: Duration?
    /// How long a lock is waited for, at most as long as the time limit allows.
    let lockTimeout: Duration
    let reply: @Sendable (Result<[PostgresResult], PostgresError>) -> Void

    /// Goes before the work in the same round trip and transaction: the server itself gives up a little earlier than we
    /// do, and raises an error rather than hide rows from us, which we would take for removed. A setting of the session would
    /// be another client's, too, behind a pooler.
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

    /// At least one: for the server, none is no limit.
    private func milliseconds(_ duration: Duration) -> Int { max(1, Int(duration / .milliseconds(1))) }
}
