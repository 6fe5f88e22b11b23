import OrderedCollections
import Foundations

/// The state machine of a pool. It assigns connections to waiters in the order of their arrival. A value type without
/// clock or I/O.
package struct PoolState {
    package typealias ConnectionID = Int
    package typealias WaiterID = Int

    package enum Action: Equatable {
        case open(ConnectionID)
        case lease(ConnectionID, to: WaiterID)
        case fail(WaiterID, PostgresError)
        case cancel(WaiterID)
        case close(ConnectionID)
        /// The pool must call `retryDue` after this time.
        case retry(after: Duration)
    }

    private let maximumConnections: Int
    private let waitsForDatabase: Bool

    private var idle: [ConnectionID] = []
    private var leased: Set<ConnectionID> = []
    private var opening: Set<ConnectionID> = []
    private var waiters: OrderedSet<WaiterID> = []
    private var lastConnectionID = 0
    private var backoff = Backoff.reconnecting
    /// The reason why the database can't be reached and the time of the next attempt, or `nil` if the last attempt
    /// did not fail.
    private var outage: (error: PostgresError, retryAt: ContinuousClock.Instant)?
    private var isClosed = false

    /// Creates the state of a pool.
    ///
    /// - Parameter waitsForDatabase: whether waiters wait while the database can't be reached. Otherwise they fail with
    ///   the last error.
    package init(maximumConnections: Int, waitsForDatabase: Bool) {
        self.maximumConnections = max(1, maximumConnections)
        self.waitsForDatabase = waitsForDatabase
    }

    package mutating func leaseRequested(_ waiter: WaiterID, now: ContinuousClock.Instant) -> [Action] {
        if isClosed { return [.fail(waiter, .poolClosed)] }
        if let connection = idle.popLast() {
            leased.insert(connection)
            return [.lease(connection, to: waiter)]
        }
        waiters.append(waiter)
        return openIfNeeded(now: now)
    }

    package mutating func waiterTimedOut(_ waiter: WaiterID) -> [Action] {
        remove(waiter) ? [.fail(waiter, outage?.error ?? .poolExhausted)] : []
    }

    package mutating func waiterCancelled(_ waiter: WaiterID) -> [Action] {
        remove(waiter) ? [.cancel(waiter)] : []
    }

    package mutating func opened(_ connection: ConnectionID) -> [Action] {
        opening.remove(connection)
        if isClosed { return [.close(connection)] }
        backoff.succeeded()
        outage = nil
        return assign(connection)
    }

    /// Handles a failed attempt to connect.
    ///
    /// - Parameter random: a random number from 0 to 1.
    package mutating func openFailed(
        _ connection: ConnectionID, _ error: PostgresError, random: Double, now: ContinuousClock.Instant
    ) -> [Action] {
        opening.remove(connection)
        if isClosed { return [] }
        // If several attempts fail at about the same time, only the first failure counts.
        if let outage, now < outage.retryAt { return openIfNeeded(now: now) }
        let wait = backoff.failed(random: random)
        outage = (error, now + wait)
        return openIfNeeded(now: now) + (waitsForDatabase ? [.retry(after: wait)] : [])
    }

    package mutating func retryDue(now: ContinuousClock.Instant) -> [Action] {
        isClosed ? [] : openIfNeeded(now: now)
    }

    /// Handles a connection that its caller has returned.
    ///
    /// - Parameter isReusable: whether the connection can be lent again. It is `false` if the connection is closed,
    ///   left in a transaction, or connected to a read-only server.
    package mutating func released(
        _ connection: ConnectionID, isReusable: Bool, now: ContinuousClock.Instant
    ) -> [Action] {
        leased.remove(connection)
        if isReusable, !isClosed { return assign(connection) }
        return [.close(connection)] + (isClosed ? [] : openIfNeeded(now: now))
    }

    /// Handles a connection that ended by itself.
    package mutating func ended(_ connection: ConnectionID) -> [Action] {
        guard let index = idle.firstIndex(of: connection) else { return [] }
        idle.remove(at: index)
        return [.close(connection)]
    }

    package mutating func closed() -> [Action] {
        isClosed = true
        defer { (idle, waiters) = ([], []) }
        return waiters.map { .fail($0, .poolClosed) } + idle.map { .close($0) }
    }

    private mutating func assign(_ connection: ConnectionID) -> [Action] {
        guard !waiters.isEmpty else {
            idle.append(connection)
            return []
        }
        leased.insert(connection)
        return [.lease(connection, to: waiters.removeFirst())]
    }

    private mutating func openIfNeeded(now: ContinuousClock.Instant) -> [Action] {
        if let outage, now < outage.retryAt {
            // If another connection is in use or opening, waiters may still get that connection.
            guard !waitsForDatabase, leased.isEmpty, opening.isEmpty else { return [] }
            defer { waiters = [] }
            return waiters.map { .fail($0, outage.error) }
        }
        var actions: [Action] = []
        while opening.count < waiters.count, opening.count + leased.count + idle.count < maximumConnections {
            lastConnectionID += 1
            opening.insert(lastConnectionID)
            actions.append(.open(lastConnectionID))
        }
        return actions
    }

    private mutating func remove(_ waiter: WaiterID) -> Bool {
        waiters.remove(waiter) != nil
    }
}

extension PostgresError {
    static let poolClosed = PostgresError(.closed, "the database pool was closed")
    static let poolExhausted = PostgresError(
        .poolExhausted, "no connection of the database pool became free in time")
}
