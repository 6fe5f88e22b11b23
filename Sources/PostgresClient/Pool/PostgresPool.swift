package import Logging
import Foundations

/// A pool of connections to one database. Connections are opened when needed, up to a limit.
///
/// A lost connection is replaced when the next caller needs one. While the database can't be reached, attempts to
/// connect use back-off. Callers then get the last error at once, unless ``Options/waitsForDatabase`` is set or another
/// connection is in use or being opened.
package final class PostgresPool: Sendable {
    package struct Options: Sendable {
        package var maximumConnections = 4
        /// The maximum time that a caller waits for a connection. The pool adds time if several hosts or the look-up of
        /// host names may delay the connection.
        package var leaseTimeout: Duration = .seconds(5)
        /// Whether callers wait while the database can't be reached, for up to `leaseTimeout`. Otherwise they fail at
        /// once with the last error, unless another connection is in use or being opened.
        package var waitsForDatabase = false

        package init() {}
    }

    private struct State {
        var machine: PoolState
        var connections: [PoolState.ConnectionID: PostgresConnection] = [:]
        var waiters: [PoolState.WaiterID: CheckedContinuation<Lease, any Error>] = [:]
        var lastWaiterID = 0
    }

    private struct Lease: Sendable {
        let id: PoolState.ConnectionID
        let connection: PostgresConnection
    }

    package let configuration: PostgresConfiguration
    private let leaseTimeout: Duration
    private let logger: Logger
    private let state: Mutex<State>

    package init(_ configuration: PostgresConfiguration, options: Options = Options(), logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        leaseTimeout = options.leaseTimeout + configuration.timeForOthers
        state = Mutex(
            State(
                machine: PoolState(
                    maximumConnections: options.maximumConnections, waitsForDatabase: options.waitsForDatabase)))
    }

    /// Lends a connection to `body`, which must not keep it.
    ///
    /// The pool closes a returned connection that is broken, inside a transaction, or connected to a server that has
    /// become read-only.
    ///
    /// - Throws: ``PostgresError`` if no connection became available, `CancellationError`, or the error of `body`.
    package func withConnection<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        let lease = try await lease()
        defer {
            handle { machine, now in
                machine.released(lease.id, isReusable: lease.connection.isReusable, now: now)
            }
        }
        return try await body(lease.connection)
    }

    @discardableResult
    package func query(
        _ sql: String, _ parameters: [PostgresValue] = [], timeout: Duration? = nil
    ) async throws -> PostgresResult {
        try await withConnection { try await $0.query(sql, parameters, timeout: timeout) }
    }

    /// Runs statements in one round trip. See ``PostgresConnection/batch(_:timeout:)``.
    @discardableResult
    package func batch(_ statements: [PostgresStatement]) async throws -> [PostgresResult] {
        try await withConnection { try await $0.batch(statements) }
    }

    /// Runs `body` in a transaction. See ``PostgresConnection/transaction(_:isolation:_:)``.
    package func transaction<Value: Sendable>(
        _ mode: PostgresConnection.TransactionMode = .readCommitted, isolation: isolated (any Actor)? = #isolation,
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        try await withConnection { try await $0.transaction(mode, body) }
    }

    /// Closes idle connections now and lent ones when they are returned. Waiting and later callers get an error with
    /// code `closed`.
    package func close() {
        handle { machine, _ in machine.closed() }
    }

    // MARK: leases

    private func lease() async throws -> Lease {
        let waiter = state.withLock { state in
            state.lastWaiterID += 1
            return state.lastWaiterID
        }
        // Usually a connection is idle, so that no timer is needed.
        let timer = Mutex<Task<Void, Never>?>(nil)
        defer { timer.withLock { $0?.cancel() } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.waiters[waiter] = continuation }
                handle { machine, now in machine.leaseRequested(waiter, now: now) }
                // The cancellation handler below may have run before the waiter existed.
                if Task.isCancelled { handle { machine, _ in machine.waiterCancelled(waiter) } }
                guard state.withLock({ $0.waiters[waiter] != nil }) else { return }
                timer.withLock { timer in
                    timer = Task { [weak self, leaseTimeout] in
                        guard (try? await Task.sleep(for: leaseTimeout)) != nil else { return }
                        self?.handle { machine, _ in machine.waiterTimedOut(waiter) }
                    }
                }
            }
        } onCancel: {
            handle { machine, _ in machine.waiterCancelled(waiter) }
        }
    }

    // MARK: actions of the state machine

    private func handle(_ event: (inout PoolState, ContinuousClock.Instant) -> [PoolState.Action]) {
        let now = ContinuousClock.now
        var resumptions: [() -> Void] = []
        let actions = state.withLock { state in
            let actions = event(&state.machine, now)
            for action in actions {
                switch action {
                case .lease(let id, let waiter):
                    guard let connection = state.connections[id] else { continue }
                    let continuation = state.waiters.removeValue(forKey: waiter)
                    resumptions.append { continuation?.resume(returning: Lease(id: id, connection: connection)) }
                case .fail(let waiter, let error):
                    let continuation = state.waiters.removeValue(forKey: waiter)
                    resumptions.append { continuation?.resume(throwing: error) }
                case .cancel(let waiter):
                    let continuation = state.waiters.removeValue(forKey: waiter)
                    resumptions.append { continuation?.resume(throwing: CancellationError()) }
                case .close(let id):
                    // The connection's thread ends with the last reference.
                    let connection = state.connections.removeValue(forKey: id)
                    resumptions.append { withExtendedLifetime(connection) {} }
                case .open, .retry:
                    break
                }
            }
            return actions
        }
        for resume in resumptions { resume() }
        for action in actions {
            switch action {
            case .open(let id): open(id)
            case .retry(let delay): retry(after: delay)
            case .lease, .fail, .cancel, .close: break
            }
        }
    }

    private func open(_ id: PoolState.ConnectionID) {
        Task {
            do {
                let connection = try await PostgresConnection.connect(
                    configuration, onNotification: { _ in },
                    onEnd: { [weak self] in self?.handle { machine, _ in machine.ended(id) } })
                state.withLock { $0.connections[id] = connection }
                handle { machine, _ in machine.opened(id) }
                // The connection may have ended before the pool registered it.
                if !connection.isOpen { handle { machine, _ in machine.ended(id) } }
            } catch {
                let failure = error as? PostgresError ?? PostgresError(.connectFailed, "\(error)")
                logger.debug("No database connection", metadata: ["error": "\(failure)"])
                handle { machine, now in
                    machine.openFailed(id, failure, random: .random(in: 0...1), now: now)
                }
            }
        }
    }

    private func retry(after delay: Duration) {
        Task { [weak self] in
            try? await Task.sleep(for: delay)
            self?.handle { machine, now in machine.retryDue(now: now) }
        }
    }
}
