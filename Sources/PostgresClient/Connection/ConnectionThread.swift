import Foundation

/// The life of one connection, on the thread that owns it.
struct ConnectionThread: Sendable {
    let configuration: PostgresConfiguration
    let mailbox: Mailbox
    let onConnect: @Sendable (Result<Void, PostgresError>) -> Void
    let onNotification: @Sendable (PostgresNotification) -> Void
    let onEnd: @Sendable () -> Void

    /// How long the server may take to stop a statement that it was asked to stop.
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
                        // one request was cancelled, not those behind it
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
        // before anybody hears of it, who would open another one in its place
        _ = consume handle
        mailbox.end(end)
        if let last { last.request.reply(last.answer) }
        onEnd()
    }

    /// - Returns: the answer, and what ended the connection.
    private func carryOut(
        _ request: Request, on handle: borrowing ConnectionHandle
    ) -> (answer: Result<[PostgresResult], PostgresError>, end: PostgresError?) {
        let preamble = request.preamble
        var deadline = request.timeout.map { ContinuousClock.now + $0 }
        /// Why the server was asked to stop.
        var givenUp: PostgresError?
        var collector = ResultCollector<PostgresResult>(isBatch: request.work.isBatch, hasPreamble: preamble != nil)
        do throws(PostgresError) {
            try handle.send(request.work, after: preamble)
            while true {
                let wait = try handle.waitForResult(until: deadline) { givenUp == nil && mailbox.isCurrentCancelled }
                guard wait == .resultIsComplete else {
                    // it does not even answer that
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
                // The server may still be about to stop whatever it finds: nothing else is sent here.
                if let givenUp { return (answer.isCancelled ? .failure(givenUp) : answer, givenUp) }
                mailbox.setIsInTransaction(handle.isInTransaction)
                if answer.isOfReadOnlyServer { mailbox.serverIsReadOnly() }
                return (answer, nil)
            }
        } catch {
            // nothing was sent: the connection is as good as before
            return (.failure(error), error.code == .unsendable ? nil : error)
        }
    }
}

extension Result<[PostgresResult], PostgresError> {
    /// PostgreSQL manual, appendix A: query_canceled.
    fileprivate var isCancelled: Bool { sqlState == "57014" }

    /// read_only_sql_transaction: mostly a server that has become a standby.
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
