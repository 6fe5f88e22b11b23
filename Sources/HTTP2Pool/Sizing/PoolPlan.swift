/// The policy that decides when a pool opens and closes connections. A value type without clock or I/O. A connection is
/// proven once an answer has shown that it works.
///
/// | situation | decision |
/// |---|---|
/// | nothing waits, or a connection awaits its authorization (a new connection would await it too) | stay |
/// | the maximum number of connections exists, or enough are connecting | stay |
/// | there is no connection, or the server asks to close a proven one | connect |
/// | all are full, and the server is near, fast and allows many streams | stay (others would only add work) |
/// | all are full for less than 250 ms, and the server is far, slow or allows few streams | look again after 250 ms |
/// | all are full for 250 ms or more, and the server is far, slow or allows few streams | connect one or several |
///
/// If the rate limit or the back-off does not allow a connection yet, the decision is to look again later:
///
/// | event | effect |
/// |---|---|
/// | a connection is opened | the rate limit applies: some at once, then one per second |
/// | an answer proves a connection | the back-off ends |
/// | a connection ends before it is proven | back-off: 1 s, doubling to 60 s |
/// | the server asks to close a proven connection | it may be replaced without back-off |
/// | the server closes a proven HTTP/1.1 connection after an answer | it may be replaced without back-off or pause |
package struct PoolPlan {
    /// The number of connections that may open without a pause, unless the pool's maximum is higher. In that case, as
    /// many connections as the maximum may open.
    private static let leastAtOnce = 8

    private static let idleMillisecondsOfWanted: Int64 = 1_000

    private let idleMilliseconds: Int64
    private let keepsLast: Bool
    private var sizing: PoolSizing
    private var permit: ConnectPermit
    private var answerMilliseconds = 0.0

    /// Creates a plan for a pool without connections.
    ///
    /// - Parameters:
    ///   - idleMilliseconds: The time without requests after which a connection is closed.
    ///   - keepsLast: Whether the last connection stays open.
    package init(maximumConnections: Int, idleMilliseconds: Int64 = 600_000, keepsLast: Bool = true) {
        self.idleMilliseconds = idleMilliseconds
        self.keepsLast = keepsLast
        sizing = PoolSizing(maximumConnections: maximumConnections)
        permit = ConnectPermit(atOnce: max(Self.leastAtOnce, maximumConnections))
    }

    /// Decides whether to open connections. Call this after the existing connections have been filled.
    package mutating func decide(_ connections: PoolConnections, waiting: Int, nowMilliseconds now: Int64)
        -> PoolSizing.Decision
    {
        guard waiting > 0, !connections.isAwaitingAuthorization else { return .stay }
        let load = PoolSizing.Load(
            waiting: waiting, inFlight: connections.inFlight, established: connections.established,
            ramping: connections.ramping, replacements: permit.replacements, answerMilliseconds: answerMilliseconds,
            roundTripMilliseconds: connections.roundTripMilliseconds ?? 0)
        let decision = sizing.decide(load, nowMilliseconds: now)
        guard case .connect = decision else { return decision }
        let wait = permit.wait(nowMilliseconds: now)
        return wait == 0 ? decision : .lookAgain(milliseconds: wait)
    }

    /// Returns whether to close a connection that has been idle for this time.
    ///
    /// - Parameter isWantedElsewhere: Whether other pools need the connection's place in the shared limit.
    package func closes(
        idleMilliseconds idle: Int64, openConnections: Int, isWantedElsewhere: Bool = false
    ) -> Bool {
        idle >= (isWantedElsewhere ? Self.idleMillisecondsOfWanted : idleMilliseconds)
            && (openConnections > 1 || !keepsLast)
    }

    /// Records that connections are being opened.
    package mutating func connecting(_ count: Int, nowMilliseconds now: Int64) {
        permit.connecting(count, nowMilliseconds: now)
    }

    package mutating func answered(after milliseconds: Int64) {
        answerMilliseconds += (Double(milliseconds) - answerMilliseconds) / 64
    }

    /// Records that an answer has proven a connection.
    package mutating func succeeded() { permit.succeeded() }

    /// Records that a connection ended before it was proven.
    ///
    /// - Parameter random: A number from 0 up to, but not including, 1.
    package mutating func failed(nowMilliseconds now: Int64, random: Double) {
        permit.failed(nowMilliseconds: now, random: random)
    }

    /// Records that a proven connection closes because the server asks for it.
    package mutating func mustReplace() { permit.mustReplace() }

    /// Records that a proven connection has carried all requests that its server accepts on one connection.
    package mutating func completed() { permit.completed() }

    /// Returns the time until the next connection may be opened, in milliseconds.
    package func wait(nowMilliseconds now: Int64) -> Int64 { permit.wait(nowMilliseconds: now) }
}
