/// The figures of a pool's connections that ``PoolPlan`` uses for its decisions.
package struct PoolConnections {
    /// The number of requests on the wire.
    package var inFlight = 0
    /// The number of open connections that are no longer ramping up.
    package var established = 0
    /// The number of connections that are ramping up: they are connecting, or wait for their first answer.
    package var ramping = 0
    /// Whether an open connection lacks its authorization.
    package var isAwaitingAuthorization = false
    /// The shortest measured round trip of all connections, in milliseconds, or `nil` if no round trip has been
    /// measured.
    package var roundTripMilliseconds: Double?

    package init() {}
}
