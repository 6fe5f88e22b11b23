import PushModel

/// The time of one turn of an event loop: the wall clock for deadlines, provider tokens and outcomes, and a clock that
/// never jumps for everything that is waited for.
struct Moment {
    let wall: Timestamp
    /// Milliseconds of a monotonic clock.
    let uptime: Int64
}
