internal import CLibPQ
import Glibc
import Foundations

/// A handle that owns a `PGconn`. Only the thread that created the handle may use it (libpq manual, "Behavior in
/// Threaded Programs"). The handle waits with poll(2) on the socket and on the wake-up of its mailbox.
struct ConnectionHandle: ~Copyable {
    private let connection: OpaquePointer
    private let mailbox: Mailbox
    private let owner = OwningThread()

    /// Tries the addresses of all hosts in order, and connects to the first one that accepts the connection. The
    /// connect timeout of the configuration applies to each address.
    ///
    /// - Throws: ``PostgresError`` with code `connectFailed` and the failures of all addresses, or with code `closed`
    ///   if the owner closed the connection meanwhile.
    static func connected(
        _ configuration: PostgresConfiguration, mailbox: Mailbox
    ) throws(PostgresError) -> ConnectionHandle {
        let configuration = configuration.current?() ?? configuration
        var failures: [PostgresError] = []
        func trying<Value: ~Copyable>(_ body: () throws(PostgresError) -> Value) throws(PostgresError) -> Value? {
            do {
                return try body()
            } catch {
                guard error.code == .connectFailed else { throw error }
                failures.append(error)
                return nil
            }
        }
        for host in configuration.hosts {
            let attempts = try trying { () throws(PostgresError) in try configuration.attempts(at: host, mailbox) }
            for attempt in attempts ?? [] {
                let handle = try trying { () throws(PostgresError) in
                    try connected(attempt, within: configuration.connectTimeout, mailbox)
                }
                if let handle { return handle }
            }
        }
        var failure = PostgresError(.connectFailed, failures.map(\.message).joined(separator: "; "))
        failure.sqlState = failures.compactMap(\.sqlState).last
        throw failure
    }

    private static func connected(
        _ host: [String: String], within time: Duration, _ mailbox: Mailbox
    ) throws(PostgresError) -> ConnectionHandle {
        guard let connection = startConnection(host) else { throw PostgresError(.connectFailed, "out of memory") }
        let handle = ConnectionHandle(connection: connection, mailbox: mailbox)
        try handle.connect(PostgresConfiguration.description(of: host), within: time)
        return handle
    }

    private init(connection: OpaquePointer, mailbox: Mailbox) {
        self.connection = connection
        self.mailbox = mailbox
    }

    private func connect(_ host: String, within time: Duration) throws(PostgresError) {
        // libpq would otherwise print notices to stderr.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        // Only the verbose text of an error contains the SQLSTATE of a refused log-in.
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        defer { PQsetErrorVerbosity(connection, PQERRORS_DEFAULT) }
        let deadline = ContinuousClock.now + time
        var next = isBroken ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while next != PGRES_POLLING_OK {
            guard next != PGRES_POLLING_FAILED else { throw connectError() }
            if mailbox.isClosing { throw .closedByOwner }
            switch wait(for: next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: deadline) {
            case .socketReady: next = PQconnectPoll(connection)
            case .wokenUp: break
            case .deadlinePassed:
                throw PostgresError(.connectFailed, "no connection to \(host) within \(time)\(acceptance)")
            }
        }
        guard PQsetnonblocking(connection, 1) == 0 else { throw lastError(.connectFailed) }
    }

    /// A clause for the error message of a connection attempt that timed out. It is empty unless the host accepted the
    /// TCP connection.
    private var acceptance: String {
        switch PQstatus(connection) {
        case CONNECTION_NEEDED, CONNECTION_STARTED, CONNECTION_BAD: ""
        default: ", although the host accepts connections"
        }
    }

    deinit {
        owner.preconditionIsCurrent()
        PQfinish(connection)
    }

    var isBroken: Bool { PQstatus(connection) == CONNECTION_BAD }
    var isInTransaction: Bool { PQtransactionStatus(connection) != PQTRANS_IDLE }

    // MARK: waiting

    enum Readiness { case socketReady, wokenUp, deadlinePassed }

    func wait(for events: Int32, until deadline: ContinuousClock.Instant?) -> Readiness {
        owner.preconditionIsCurrent()
        var descriptors = [
            pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0),
            pollfd(fd: mailbox.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let ready = poll(&descriptors, 2, milliseconds(until: deadline))
        if descriptors[1].revents != 0 { mailbox.wakeUp.clear() }
        if ready > 0 { return descriptors[0].revents != 0 ? .socketReady : .wokenUp }
        let isOver = deadline.map { ContinuousClock.now >= $0 } ?? false
        // An interrupted wait counts as a wake-up, because the caller then checks its state and waits again.
        return isOver ? .deadlinePassed : .wokenUp
    }

    enum Wait { case resultIsComplete, deadlinePassed, interrupted }

    /// Sends the data that libpq has buffered and reads the data that has arrived, until a result is complete.
    ///
    /// - Parameter isInterrupted: a function that is called before each wait and returns whether to stop waiting.
    /// - Throws: ``PostgresError`` with code `connectionLost` if the connection broke. The connection can't be used
    ///   after this error.
    func waitForResult(
        until deadline: ContinuousClock.Instant?, unless isInterrupted: () -> Bool
    ) throws(PostgresError) -> Wait {
        owner.preconditionIsCurrent()
        var unsent = PQflush(connection)
        while unsent != 0 || PQisBusy(connection) == 1 {
            guard unsent >= 0, !isBroken else { throw lastError(.connectionLost) }
            if isInterrupted() { return .interrupted }
            switch wait(for: unsent == 1 ? POLLIN | POLLOUT : POLLIN, until: deadline) {
            case .socketReady:
                try readInput()
                unsent = PQflush(connection)
            case .wokenUp: break
            case .deadlinePassed: return .deadlinePassed
            }
        }
        return .resultIsComplete
    }

    /// Asks the server to stop the current statement, without waiting for the answer.
    func cancel() { CancelRequest(connection)?.carryOut() }

    func readInput() throws(PostgresError) {
        guard PQconsumeInput(connection) == 1 else { throw lastError(.connectionLost) }
    }

    // MARK: sending and receiving

    func send(_ work: Request.Work, after preamble: PostgresStatement?) throws(PostgresError) {
        owner.preconditionIsCurrent()
        let first = preamble.map { [$0] } ?? []
        switch work {
        case .transactionControl(let sql): try send(sql, try ParameterEncoder([]))
        case .script(let sql):
            guard !sql.utf8.contains(0) else { throw .sqlWithNUL }
            guard PQsendQuery(connection, sql) == 1 else { throw lastError(.connectionLost) }
        case .statement(let statement):
            guard first.isEmpty else { return try pipeline(first + [statement]) }
            guard !statement.sql.utf8.contains(0) else { throw .sqlWithNUL }
            try send(statement.sql, try ParameterEncoder(statement.parameters))
        case .batch(let statements): try pipeline(first + statements)
        }
    }

    /// The maximum number of parameters of a statement (PostgreSQL manual, appendix K, "query parameters").
    fileprivate static let mostParameters = 65_535

    /// Sends statements in one round trip. They form one transaction, unless a transaction is open.
    private func pipeline(_ statements: [PostgresStatement]) throws(PostgresError) {
        // All statements are encoded before the first is sent, so that a batch is sent as a whole or not at all.
        let encoded = try statements.map { (statement) throws(PostgresError) in
            try ParameterEncoder(statement.parameters)
        }
        guard !statements.contains(where: { $0.sql.utf8.contains(0) }) else { throw .sqlWithNUL }
        guard encoded.allSatisfy({ $0.offsets.count <= Self.mostParameters }) else { throw .tooManyParameters }
        guard PQenterPipelineMode(connection) == 1 else { throw lastError(.connectionLost) }
        for (statement, parameters) in zip(statements, encoded) {
            do {
                try send(statement.sql, parameters)
            } catch {
                // Earlier statements may be sent already. The next request would receive their results.
                throw PostgresError(.connectionLost, error.message)
            }
        }
        guard PQpipelineSync(connection) == 1 else { throw lastError(.connectionLost) }
    }

    private func send(_ sql: String, _ parameters: ParameterEncoder) throws(PostgresError) {
        let isSent = parameters.bytes.withUnsafeBytes { bytes in
            let values = parameters.offsets.map { offset -> UnsafePointer<CChar>? in
                guard let offset, let base = bytes.baseAddress else { return nil }
                return (base + offset).assumingMemoryBound(to: CChar.self)
            }
            return PQsendQueryParams(
                connection, sql, Int32(values.count), parameters.types, values, parameters.lengths,
                parameters.formats, 1)
        }
        guard isSent == 1 else { throw lastError(isBroken ? .connectionLost : .unsendable) }
    }

    /// Returns the next result, error or end mark of the request in progress. Call this after `waitForResult`.
    func nextEvent() throws(PostgresError) -> ResultCollector<PostgresResult>.Event {
        guard let result = PQgetResult(connection) else {
            if isBroken { throw lastError(.connectionLost) }
            return .statementEnded
        }
        let storage = ResultStorage(taking: result)
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return .result(PostgresResult(storage: storage))
        case PGRES_PIPELINE_SYNC:
            guard PQexitPipelineMode(connection) == 1 else { throw lastError(.connectionLost) }
            return .synchronised
        case PGRES_PIPELINE_ABORTED:
            return .skipped
        case PGRES_FATAL_ERROR:
            let error = PostgresError(refusal: result)
            if error.sqlState == nil || isBroken { throw error }
            return .refused(error)
        default:
            // This client does not use COPY, and libpq would wait for its data.
            throw PostgresError(.unexpectedResult, "COPY is not supported")
        }
    }

    func nextNotification() -> PostgresNotification? {
        guard let notification = PQnotifies(connection) else { return nil }
        defer { PQfreemem(notification) }
        return PostgresNotification(
            channel: String(cString: notification.pointee.relname),
            payload: notification.pointee.extra.map { String(cString: $0) } ?? "")
    }

    /// Returns an error with libpq's message, which never contains the password. If the server refused the connection,
    /// the error contains the SQLSTATE of the refusal.
    private func connectError() -> PostgresError {
        let text = ConnectText(PQerrorMessage(connection).map { String(cString: $0) } ?? "")
        var error = PostgresError(.connectFailed, text.line.isEmpty ? "connection failed" : text.line)
        error.sqlState = text.sqlState
        return error
    }

    private func lastError(_ code: PostgresError.Code) -> PostgresError {
        let line = oneLine(PQerrorMessage(connection))
        return PostgresError(code, line.isEmpty ? code.description : line)
    }
}

private func startConnection(_ options: [String: String]) -> OpaquePointer? {
    let keywords = options.keys.map { strdup($0) }
    let values = options.values.map { strdup($0) }
    defer { for string in keywords + values { free(string) } }
    return PQconnectStartParams(
        keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 0)
}

/// Returns a message from libpq on one line. libpq wraps its messages with line ends and tabs.
private func oneLine(_ message: UnsafePointer<CChar>?) -> String {
    message.map { String(cString: $0).split { "\n\t".contains($0) }.joined(separator: " ") } ?? ""
}

extension PostgresError {
    fileprivate static let sqlWithNUL = PostgresError(.unsendable, "the SQL contains a NUL character")
    fileprivate static let tooManyParameters = PostgresError(
        .unsendable, "a statement has more than \(ConnectionHandle.mostParameters) parameters")

    fileprivate init(refusal result: OpaquePointer) {
        // The field codes are characters (postgres_ext.h).
        func field(_ code: Character) -> String? {
            code.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { String(cString: $0) }
        }
        let sqlState = field("C")
        self.init(
            sqlState == nil ? .connectionLost : .server, field("M") ?? oneLine(PQresultErrorMessage(result)))
        self.sqlState = sqlState
        severity = field("V")
        detail = field("D")
        hint = field("H")
        constraint = field("n")
    }
}
