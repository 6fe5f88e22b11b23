package import PushModel

/// The time of one turn of an event loop, on two clocks. The wall clock is for deadlines, tokens and outcomes. The
/// monotonic clock is for all timeouts and delays.
package struct Moment: Sendable {
    package let wall: Timestamp
    /// The monotonic clock, in milliseconds.
    package let uptime: Int64

    package init(wall: Timestamp, uptime: Int64) {
        self.wall = wall
        self.uptime = uptime
    }
}
