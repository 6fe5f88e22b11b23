import DequeModule
import Foundations

/// The state that a connection's thread shares with other threads: their requests, and the state of the connection.
final class Mailbox: Sendable {
    private struct State {
        var requests: Deque<Request> = []
        var lastRequestID = 0
        /// The id of the request in progress or of the last request, or `nil` before the first request.
        var current: Request.ID?
        var isCurrentCancelled = false
        var isClosing = false
        var isInTransaction = false
        /// Whether the server was found to be read-only. The value stays true, so that the pool replaces this
        /// connection. Another connection may lead to the primary.
        var isReadOnly = false
        /// The error with which the connection ended, or `nil` before its end. It is set once.
        var end: PostgresError?
        var endWaiters: [CheckedContinuation<PostgresError, Never>] = []
    }

    private let state = Mutex(State())
    let wakeUp: WakeUp

    init() throws(PostgresError) {
        wakeUp = try WakeUp()
    }

    // MARK: any thread

    func makeRequestID() -> Request.ID {
        state.withLock { state in
            state.lastRequestID += 1
            return state.lastRequestID
        }
    }

    func send(_ request: Request) {
        let end = state.withLock { state -> PostgresError? in
            if let end = state.end { return end }
            if state.isClosing { return .closedByOwner }
            state.requests.append(request)
            return nil
        }
        if let end { request.reply(.failure(end)) } else { wakeUp.signal() }
    }

    /// Cancels a request. A waiting request is removed, and a request in progress is cancelled on the server.
    func cancel(_ id: Request.ID) {
        let waiting = state.withLock { state -> Request? in
            if state.current == id { state.isCurrentCancelled = true }
            return state.requests.firstIndex { $0.id == id }.map { state.requests.remove(at: $0) }
        }
        if let waiting { waiting.reply(.failure(.cancelled)) } else { wakeUp.signal() }
    }

    func close() {
        state.withLock { $0.isClosing = true }
        wakeUp.signal()
    }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Whether the connection is open, outside a transaction, and connected to a server that accepts writes.
    var isReusable: Bool {
        state.withLock { $0.end == nil && !$0.isClosing && !$0.isInTransaction && !$0.isReadOnly }
    }

    func waitForEnd() async -> PostgresError {
        await withCheckedContinuation { continuation in
            let end = state.withLock { state -> PostgresError? in
                if state.end == nil { state.endWaiters.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    // MARK: the connection's thread

    var isClosing: Bool { state.withLock { $0.isClosing } }

    func next() -> Request? {
        state.withLock { state in
            guard !state.isClosing, let request = state.requests.popFirst() else { return nil }
            (state.current, state.isCurrentCancelled) = (request.id, false)
            return request
        }
    }

    var isCurrentCancelled: Bool { state.withLock { $0.isCurrentCancelled } }

    func setIsInTransaction(_ isInTransaction: Bool) {
        state.withLock { $0.isInTransaction = isInTransaction }
    }

    func serverIsReadOnly() {
        state.withLock { $0.isReadOnly = true }
    }

    /// Records the end of the connection and fails the waiting requests.
    func end(_ error: PostgresError) {
        let (requests, waiters) = state.withLock { state in
            state.end = error
            defer { (state.requests, state.endWaiters) = ([], []) }
            return (state.requests, state.endWaiters)
        }
        for request in requests { request.reply(.failure(error)) }
        for waiter in waiters { waiter.resume(returning: error) }
    }
}

extension PostgresError {
    static let closedByOwner = PostgresError(.closed, "the database connection was closed")
    static let cancelled = PostgresError(.cancelled, "the task was cancelled")
}
