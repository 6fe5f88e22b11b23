import Foundation

/// The life of one connection, on the thread that owns it.
struct ConnectionThread: Sendable {
    let configuration: PostgresConfiguration
    let mailbox: Mailbox
    let onConnect: @Sendable (Result<Void, PostgresError>) -> Void
    let onNotification: @Sendable (PostgresNotification) -> Void
    let onEnd: @Sendable () -> Void

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
            return onConnect(.failure(error))
        }
        onConnect(.success(()))
        do throws(PostgresError) {
            while !mailbox.isClosing {
                if let request = mailbox.next() {
                    try carryOut(request, on: handle)
                } else if case .socketReady = handle.wait(for: POLLIN, until: nil) {
                    try handle.readInput()
                }
                while let notification = handle.nextNotification() { onNotification(notification) }
                if handle.isBroken { throw PostgresError(.connectionLost, "the server closed the connection") }
            }
            mailbox.end(.closedByOwner)
        } catch {
            mailbox.end(error)
        }
        onEnd()
    }

    /// - Throws: what ended the connection; the request has its answer either way.
    private func carryOut(_ request: Request, on handle: borrowing ConnectionHandle) throws(PostgresError) {
        let deadline = request.timeout.map { ContinuousClock.now + $0 }
        var collector = ResultCollector<PostgresResult>(isBatch: request.work.isBatch)
        do throws(PostgresError) {
            try handle.send(request.work)
            while true {
                try handle.waitForResult(until: deadline)
                if case .finish(let result) = collector.received(try handle.nextEvent()) {
                    mailbox.setIsInTransaction(handle.isInTransaction)
                    return request.reply(result)
                }
            }
        } catch {
            request.reply(.failure(error))
            // nothing was sent: the connection is as good as before
            if error.code == .unsendable { return }
            throw error
        }
    }
}

extension Request.Work {
    fileprivate var isBatch: Bool {
        if case .batch = self { true } else { false }
    }
}
