import NIOCore
import PushModel

/// The time of one turn of an event loop, read once: the wall clock for deadlines, provider tokens and
/// outcomes, and a clock that never jumps for everything that is waited for.
struct Moment {
    let wall: Timestamp
    /// Milliseconds of a monotonic clock.
    let uptime: Int64

    init(wall: Timestamp) {
        self.wall = wall
        uptime = Self.uptimeMilliseconds()
    }

    static func uptimeMilliseconds() -> Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
}
