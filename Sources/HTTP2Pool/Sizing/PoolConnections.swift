/// A pool's connections, in the numbers that ``PoolPlan`` decides by.
package struct PoolConnections {
    /// Requests on the wire.
    package var inFlight = 0
    /// Connections that take part.
    package var established = 0
    /// Connections on their way to that.
    package var ramping = 0
    /// One of them could send, but for its authorization.
    package var isAwaitingAuthorization = false
    /// The shortest of theirs; nil: not measured yet.
    package var roundTripMilliseconds: Double?

    package init() {}
}
