/// What a pool does about its connections. A value: what there is goes in, a decision comes out; no clock, no I/O.
///
/// | what there is | decision |
/// |---|---|
/// | nothing waits, or a connection awaits its authorization, for which another would wait, too | stay |
/// | as many connections as may be, or as many on their way as are wanted at once | stay |
/// | no connection, or one that was of use and that the server wants closed | connect |
/// | full connections, the way to the server short | stay: more of them are only more work |
/// | full connections, the way long, for less than 250 ms | look again then |
/// | the same for longer | connect one; as many again as there are where several rounds of work wait |
///
/// Whatever says connect looks again later where the pace or back-off do not allow it yet:
///
/// | event | what changes |
/// |---|---|
/// | a connection is begun | the pace: some at once, then one a second |
/// | an answer shows that a connection is of use | no back-off any more |
/// | a connection ends before it was of use | back-off: 1 s, doubling to 60 s |
/// | the server wants one closed that was of use | its place may be taken without back-off |
/// | the same after an answer of HTTP/1.1, as usual there | and without a pause |
package struct PoolPlan {
    /// Connections that may be opened without a pause, even where fewer may be open.
    private static let leastAtOnce = 8

    private static let idleMillisecondsOfWanted: Int64 = 1_000

    private let idleMilliseconds: Int64
    private let keepsLast: Bool
    private var sizing: PoolSizing
    private var permit: ConnectPermit
    private var answerMilliseconds = 0.0

    /// - Parameters:
    ///   - idleMilliseconds: a connection with nothing to do for so long is closed.
    ///   - keepsLast: but the last one stays.
    package init(maximumConnections: Int, idleMilliseconds: Int64 = 600_000, keepsLast: Bool = true) {
        self.idleMilliseconds = idleMilliseconds
        self.keepsLast = keepsLast
        sizing = PoolSizing(maximumConnections: maximumConnections)
        permit = ConnectPermit(atOnce: max(Self.leastAtOnce, maximumConnections))
    }

    /// To be asked when the connections there are have been filled.
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

    /// Whether a connection that has had nothing to do for so long is closed.
    ///
    /// - Parameter isWantedElsewhere: another pool waits for its place.
    package func closes(
        idleMilliseconds idle: Int64, openConnections: Int, isWantedElsewhere: Bool = false
    ) -> Bool {
        idle >= (isWantedElsewhere ? Self.idleMillisecondsOfWanted : idleMilliseconds)
            && (openConnections > 1 || !keepsLast)
    }

    /// So many are being opened.
    package mutating func connecting(_ count: Int, nowMilliseconds now: Int64) {
        permit.connecting(count, nowMilliseconds: now)
    }

    package mutating func answered(after milliseconds: Int64) {
        answerMilliseconds += (Double(milliseconds) - answerMilliseconds) / 64
    }

    /// A connection has been of use.
    package mutating func succeeded() { permit.succeeded() }

    /// A connection ended before it was of use.
    ///
    /// - Parameter random: a number from 0 up to 1.
    package mutating func failed(nowMilliseconds now: Int64, random: Double) {
        permit.failed(nowMilliseconds: now, random: random)
    }

    /// A connection of use is going away by the server's wish.
    package mutating func mustReplace() { permit.mustReplace() }

    /// A connection of use has done what its server takes it for.
    package mutating func completed() { permit.completed() }

    /// Milliseconds until the next connection may be opened.
    package func wait(nowMilliseconds now: Int64) -> Int64 { permit.wait(nowMilliseconds: now) }
}
