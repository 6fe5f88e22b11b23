public import Logging
import Threading

/// A bounded number of connections to one database, opened when needed.
///
/// A lost connection is replaced by the next caller who needs it. While the database can't be reached,
/// callers get the last error at once (see ``Options/waitsForDatabase``), and attempts are spaced out.
public final class PostgresPool: Sendable {
    public struct Options: Sendable {
        public var maximumConnections = 4
        /// How long a caller waits for a connection to become free; longer where several addresses may have to be tried.
        public var leaseTimeout: Duration = .seconds(5)
        /// While the database can't be reached, wait for it (up to `leaseTimeout`) rather than fail.
        public var waitsForDatabase = false

        public init() {}
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

    public let configuration: PostgresConfiguration
    private let leaseTimeout: Duration
    private let logger: Logger
    private let state: Mutex<State>

    public init(_ configuration: PostgresConfiguration, options: Options = Options(), logger: Logger) {
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
    /// A connection that comes back broken, inside a transaction, or from a server that has become read-only, is thrown
    /// away.
    /// - Throws: ``PostgresError`` if no connection was to be had, `CancellationError`, and what `body` throws.
    public func withConnection<Value: Sendable>(
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
    public func query(
        _ sql: String, _ parameters: [PostgresValue] = [], timeout: Duration? = nil
    ) async throws -> PostgresResult {
        try await withConnection { try await $0.query(sql, parameters, timeout: timeout) }
    }

    /// See ``PostgresConnection/batch(_:timeout:)``.
    @discardableResult
    public func batch(_ statements: [PostgresStatement]) async throws -> [PostgresResult] {
        try await withConnection { try await $0.batch(statements) }
    }

    /// See ``PostgresConnection/transaction(_:isolation:_:)``.
    public func transaction<Value: Sendable>(
        _ mode: PostgresConnection.TransactionMode = .readCommitted, isolation: isolated (any Actor)? = #isolation,
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        try await withConnection { try await $0.transaction(mode, body) }
    }

    /// Closes idle connections now and lent ones when they come back; whoever waits, or asks later, gets
    /// an error with code `closed`.
    public func close() {
        handle { machine, _ in machine.closed() }
    }

    // MARK: leases

    private func lease() async throws -> Lease {
        let waiter = state.withLock { state in
            state.lastWaiterID += 1
            return state.lastWaiterID
        }
        // a connection is mostly idle: the timer then never starts
        let timer = Mutex<Task<Void, Never>?>(nil)
        defer { timer.withLock { $0?.cancel() } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.waiters[waiter] = continuation }
                handle { machine, now in machine.leaseRequested(waiter, now: now) }
                // the handler below may have run before there was a waiter
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

    // MARK: carrying out what the state machine decides

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
                    // its thread ends with the last reference
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
                // it may have ended before the pool knew of it
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
