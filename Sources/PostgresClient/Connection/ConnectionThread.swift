import Foundation

/// The main loop of a connection, which runs on the connection's own thread.
struct ConnectionThread: Sendable {
    let configuration: PostgresConfiguration
    let mailbox: Mailbox
    let onConnect: @Sendable (Result<Void, PostgresError>) -> Void
    let onNotification: @Sendable (PostgresNotification) -> Void
    let onEnd: @Sendable () -> Void

    /// The time limit for the server's answer after a request to cancel a statement.
    private static let cancelPatience = Duration.seconds(5)

    func start() {
        let thread = Thread { run() }
        thread.name = "postgres"
        thread.start()
    }

    private func run() {
        let handle: ConnectionHandle
        do throws(PostgresError) {
            handle = try ConnectionHandle.connected(configuration, mailbox: mailbox)
        } catch {
            mailbox.end(error)
            configuration.meter?.couldNotConnect()
            return onConnect(.failure(error))
        }
        configuration.meter?.connected()
        onConnect(.success(()))
        let end: PostgresError
        var last: (request: Request, answer: Result<[PostgresResult], PostgresError>)?
        do throws(PostgresError) {
            while !mailbox.isClosing {
                if let request = mailbox.next() {
                    let start = ContinuousClock.now
                    let (answer, end) = carryOut(request, on: handle)
                    configuration.meter?.asked(for: .now - start, isAnswered: end == nil)
                    if let end {
                        last = (request, answer)
                        // Only the task of this request was cancelled. The requests that wait behind it fail because
                        // the connection closes.
                        throw end.code == .cancelled ? .closedByOwner : end
                    }
                    request.reply(answer)
                } else if case .socketReady = handle.wait(for: POLLIN, until: nil) {
                    try handle.readInput()
                }
                while let notification = handle.nextNotification() { onNotification(notification) }
                if handle.isBroken { throw PostgresError(.connectionLost, "the server closed the connection") }
            }
            end = .closedByOwner
        } catch {
            end = error
        }
        // The connection is closed before callers are notified, because they may open another connection in its place.
        _ = consume handle
        mailbox.end(end)
        if let last { last.request.reply(last.answer) }
        onEnd()
    }

    /// Carries out a request.
    ///
    /// - Returns: the answer, and the error that ended the connection, or `nil` if the connection can still be used.
    private func carryOut(
        _ request: Request, on handle: borrowing ConnectionHandle
    ) -> (answer: Result<[PostgresResult], PostgresError>, end: PostgresError?) {
        let preamble = request.preamble
        var deadline = request.timeout.map { ContinuousClock.now + $0 }
        /// The reason for cancelling the statement on the server, or `nil` if it was not cancelled.
        var givenUp: PostgresError?
        var collector = ResultCollector<PostgresResult>(isBatch: request.work.isBatch, hasPreamble: preamble != nil)
        do throws(PostgresError) {
            try handle.send(request.work, after: preamble)
            while true {
                let wait = try handle.waitForResult(until: deadline) { givenUp == nil && mailbox.isCurrentCancelled }
                guard wait == .resultIsComplete else {
                    // The server has not answered the cancellation either.
                    if let givenUp { throw givenUp }
                    givenUp =
                        wait == .interrupted
                        ? .cancelled
                        : PostgresError(.timedOut, "no answer from the database within the query timeout")
                    handle.cancel()
                    deadline = .now + Self.cancelPatience
                    continue
                }
                guard case .finish(let answer) = collector.received(try handle.nextEvent()) else { continue }
                // The cancellation may reach the server late and would then stop the next statement. Therefore no other
                // statement is sent over this connection.
                if let givenUp { return (answer.isCancelled ? .failure(givenUp) : answer, givenUp) }
                mailbox.setIsInTransaction(handle.isInTransaction)
                if answer.isOfReadOnlyServer { mailbox.serverIsReadOnly() }
                return (answer, nil)
            }
        } catch {
            // If nothing was sent, the connection can still be used.
            return (.failure(error), error.code == .unsendable ? nil : error)
        }
    }
}

extension Result<[PostgresResult], PostgresError> {
    /// Whether the server cancelled the statement (query_canceled; PostgreSQL manual, appendix A).
    fileprivate var isCancelled: Bool { sqlState == "57014" }

    /// Whether the server is read-only (read_only_sql_transaction), usually because it has become a standby.
    fileprivate var isOfReadOnlyServer: Bool { sqlState == "25006" }

    private var sqlState: String? {
        if case .failure(let error) = self { error.sqlState } else { nil }
    }
}

extension Request.Work {
    fileprivate var isBatch: Bool {
        if case .batch = self { true } else { false }
    }
}
