/// One session with a PostgreSQL server, on a thread of its own.
///
/// Requests are carried out one after the other, in the order in which they were made. A
/// cancelled task's statement is cancelled on the server, which ends the connection. The query timeout bounds each, on the
/// server, too: a little before it is over the server gives up by itself (`statement_timeout`, `lock_timeout`), else the
/// statement is cancelled before the connection is closed.
public final class PostgresConnection: Sendable {
    private let mailbox: Mailbox
    private let queryTimeout: Duration?
    private let lockTimeout: Duration

    private init(mailbox: Mailbox, configuration: PostgresConfiguration) {
        self.mailbox = mailbox
        queryTimeout = configuration.queryTimeout
        lockTimeout = configuration.lockTimeout
    }

    deinit { mailbox.close() }

    /// - Parameter onNotification: called on the connection's thread, for channels that were LISTENed to.
    /// - Throws: ``PostgresError`` with code `connectFailed`, or with the server's reason.
    public static func connect(
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
    /// - Parameter timeout: in place of the configuration's query timeout.
    @discardableResult
    public func query(
        _ sql: String, _ parameters: [PostgresValue] = [], timeout: Duration? = nil
    ) async throws -> PostgresResult {
        let results = try await perform(.statement(PostgresStatement(sql, parameters)), timeout)
        guard let result = results.first else {
            throw PostgresError(.unexpectedResult, "the server gave no result")
        }
        return result
    }

    /// Carries out statements in one round trip (libpq's pipeline mode), with one result for each.
    ///
    /// Outside a transaction the batch is one: it is committed whole, or not at all.
    /// - Parameter timeout: in place of the configuration's query timeout; for each statement and for all of them.
    /// - Throws: ``PostgresError`` whose `statementIndex` tells which statement was refused.
    @discardableResult
    public func batch(_ statements: [PostgresStatement], timeout: Duration? = nil) async throws -> [PostgresResult] {
        guard !statements.isEmpty else { return [] }
        return try await perform(.batch(statements), timeout)
    }

    /// Carries out a text of several statements, without parameters, as one transaction.
    public func execute(script: String) async throws {
        _ = try await perform(.script(script))
    }

    /// What a transaction sees and may do (PostgreSQL manual, "Transaction Isolation").
    public enum TransactionMode: Sendable {
        case readCommitted
        /// Repeatable read, read only: all of one moment.
        case snapshot

        fileprivate var begin: String {
            switch self {
            case .readCommitted: "BEGIN"
            case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            }
        }
    }

    /// Runs `body` between BEGIN and COMMIT; rolls back if it throws.
    public func transaction<Value: Sendable>(
        _ mode: TransactionMode = .readCommitted, isolation: isolated (any Actor)? = #isolation,
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        _ = try await perform(.transactionControl(mode.begin))
        let value: Value
        do {
            value = try await body(self)
        } catch {
            // a failing ROLLBACK means a lost connection, which rolls back too; the first error tells more
            _ = try? await perform(.transactionControl("ROLLBACK"))
            throw error
        }
        // the server answers a COMMIT after an error that `body` swallowed with ROLLBACK
        guard try await perform(.transactionControl("COMMIT")).first?.commandTag == "COMMIT" else {
            throw PostgresError(.unexpectedResult, "the transaction was rolled back: a statement in it had failed")
        }
        return value
    }

    /// Ends the session after the request in progress; those behind it fail with code `closed`.
    public func close() async {
        beginClosing()
        _ = await mailbox.waitForEnd()
    }

    /// ``close()`` without waiting for the end.
    func beginClosing() { mailbox.close() }

    /// Waits until the session has ended, and tells why.
    public func waitForEnd() async -> PostgresError {
        await mailbox.waitForEnd()
    }

    public var isOpen: Bool { !mailbox.hasEnded }

    /// Open, and not inside a transaction that somebody forgot.
    var isReusable: Bool { mailbox.isReusable }

    private func perform(_ work: Request.Work, _ timeout: Duration? = nil) async throws -> [PostgresResult] {
        let id = mailbox.makeRequestID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                mailbox.send(
                    Request(id: id, work: work, timeout: timeout ?? queryTimeout, lockTimeout: lockTimeout) { result in
                        continuation.resume(with: result.mapError { Self.told($0) })
                    })
                // the handler below may have run before there was a request
                if Task.isCancelled { mailbox.cancel(id) }
            }
        } onCancel: {
            mailbox.cancel(id)
        }
    }

    private static func told(_ error: PostgresError) -> any Error {
        error.code == .cancelled ? CancellationError() : error
    }
}
