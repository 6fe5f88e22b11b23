public import PushModel

/// The time of one turn of an event loop: the wall clock for deadlines, tokens and outcomes, and a clock that never jumps
/// for everything that is waited for.
public struct Moment: Sendable {
    public let wall: Timestamp
    /// Milliseconds of a monotonic clock.
    public let uptime: Int64

    public init(wall: Timestamp, uptime: Int64) {
        self.wall = wall
        self.uptime = uptime
    }
}
