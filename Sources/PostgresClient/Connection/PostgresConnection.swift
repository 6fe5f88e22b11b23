/// A session with a PostgreSQL server. Each session has its own thread.
///
/// Requests are carried out one after another, in the order in which they are made. If a task is cancelled while the
/// server carries out its request, the statement is cancelled on the server and the connection ends.
///
/// The query timeout limits each request. For statements and batches, the server itself ends each statement
/// slightly earlier (`statement_timeout`, `lock_timeout`). If the query timeout still passes, for example in a batch of
/// many statements, this client cancels the running statement and then closes the connection.
package final class PostgresConnection: Sendable {
    private let mailbox: Mailbox
    private let queryTimeout: Duration?
    private let lockTimeout: Duration

    private init(mailbox: Mailbox, configuration: PostgresConfiguration) {
        self.mailbox = mailbox
        queryTimeout = configuration.queryTimeout
        lockTimeout = configuration.lockTimeout
    }

    deinit { mailbox.close() }

    /// Connects to a server.
    ///
    /// - Parameter onNotification: a function that is called on the connection's thread, for each notification of a
    ///   channel that the connection listens to.
    /// - Throws: ``PostgresError`` with code `connectFailed` and the server's reason, if it gave one, or with code
    ///   `closed` if the task was cancelled.
    package static func connect(
        _ configuration: PostgresConfiguration,
        onNotification: @escaping @Sendable (PostgresNotification) -> Void = { _ in }
    ) async throws -> PostgresConnection {
        try await connect(configuration, onNotification: onNotification, onEnd: {})
    }

    static func connect(
        _ configuration: PostgresConfiguration,
        onNotification: @escaping @Sendable (PostgresNotification) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) async throws -> PostgresConnection {
        let mailbox = try Mailbox()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                ConnectionThread(
                    configuration: configuration, mailbox: mailbox,
                    onConnect: { result in continuation.resume(with: result.mapError { $0 as any Error }) },
                    onNotification: onNotification, onEnd: onEnd
                ).start()
            }
            return PostgresConnection(mailbox: mailbox, configuration: configuration)
        } onCancel: {
            mailbox.close()
        }
    }

    /// Carries out one statement.
    ///
    /// - Parameter timeout: the time limit of the request, or `nil` for the query timeout of the configuration.
    @discardableResult
    package func query(
        _ sql: String, _ parameters: [PostgresValue] = [], timeout: Duration? = nil
    ) async throws -> PostgresResult {
        let results = try await perform(.statement(PostgresStatement(sql, parameters)), timeout)
        guard let result = results.first else {
            throw PostgresError(.unexpectedResult, "the server returned no result")
        }
        return result
    }

    /// Carries out statements in one round trip (libpq's pipeline mode), and returns one result for each.
    ///
    /// Outside a transaction, the batch is a transaction of its own: it is committed as a whole or not at all.
    ///
    /// - Parameter timeout: the time limit of the whole batch, or `nil` for the query timeout of the configuration.
    /// - Throws: ``PostgresError`` whose `statementIndex` is the index of the refused statement.
    @discardableResult
    package func batch(_ statements: [PostgresStatement], timeout: Duration? = nil) async throws -> [PostgresResult] {
        guard !statements.isEmpty else { return [] }
        return try await perform(.batch(statements), timeout)
    }

    /// Carries out a text of several statements without parameters, as one transaction.
    package func execute(script: String) async throws {
        _ = try await perform(.script(script))
    }

    /// The isolation and access mode of a transaction (PostgreSQL manual, "Transaction Isolation").
    package enum TransactionMode: Sendable {
        case readCommitted
        /// Repeatable read and read-only. All statements see the same snapshot.
        case snapshot

        fileprivate var begin: String {
            switch self {
            case .readCommitted: "BEGIN"
            case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            }
        }
    }

    /// Runs `body` between BEGIN and COMMIT. Rolls back if it throws.
    package func transaction<Value: Sendable>(
        _ mode: TransactionMode = .readCommitted, isolation: isolated (any Actor)? = #isolation,
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        _ = try await perform(.transactionControl(mode.begin))
        let value: Value
        do {
            value = try await body(self)
        } catch {
            // If ROLLBACK fails or the task is cancelled, the pool closes the connection, which also rolls back. The
            // first error is more informative.
            _ = try? await perform(.transactionControl("ROLLBACK"))
            throw error
        }
        // If a statement failed and `body` ignored the error, the server answers COMMIT with ROLLBACK.
        guard try await perform(.transactionControl("COMMIT")).first?.commandTag == "COMMIT" else {
            throw PostgresError(.unexpectedResult, "the transaction was rolled back because a statement in it failed")
        }
        return value
    }

    /// Ends the session after the request in progress, and waits for the end. Waiting requests fail with code `closed`.
    package func close() async {
        beginClosing()
        _ = await mailbox.waitForEnd()
    }

    /// Begins to close the session, without waiting for its end.
    func beginClosing() { mailbox.close() }

    /// Waits until the session has ended, and returns the reason.
    package func waitForEnd() async -> PostgresError {
        await mailbox.waitForEnd()
    }

    package var isOpen: Bool { !mailbox.hasEnded }

    /// Whether a pool can lend the connection again: it is open, outside a transaction, and its server accepts writes.
    var isReusable: Bool { mailbox.isReusable }

    private func perform(_ work: Request.Work, _ timeout: Duration? = nil) async throws -> [PostgresResult] {
        let id = mailbox.makeRequestID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                mailbox.send(
                    Request(id: id, work: work, timeout: timeout ?? queryTimeout, lockTimeout: lockTimeout) { result in
                        continuation.resume(with: result.mapError { Self.reported($0) })
                    })
                // The cancellation handler below may have run before the request existed.
                if Task.isCancelled { mailbox.cancel(id) }
            }
        } onCancel: {
            mailbox.cancel(id)
        }
    }

    private static func reported(_ error: PostgresError) -> any Error {
        error.code == .cancelled ? CancellationError() : error
    }
}
