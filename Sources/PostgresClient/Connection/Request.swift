/// What a connection is asked to carry out, and whom to tell.
struct Request: Sendable {
    enum Work: Sendable {
        case statement(PostgresStatement)
        /// One round trip, all or nothing.
        case batch([PostgresStatement])
        /// Several statements in one text, without parameters or results.
        case script(String)
    }

    let work: Work
    let timeout: Duration?
    let reply: @Sendable (Result<[PostgresResult], PostgresError>) -> Void
}
