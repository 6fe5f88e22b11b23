package import PushModel

/// The delays of a job that has a `send_at`. The job waits in the delay queue with the longest delay that is not too
/// long, repeatedly until its time has come. It is never early. If nothing else delays it, it is less than one second
/// late, which is the shortest delay.
package enum ScheduleLadder {
    /// The delays, in seconds.
    package static let delays = [1, 5, 30, 120, 900, 3600, 21_600]
    /// The maximum time by which a job may be scheduled in advance, in seconds.
    package static let horizon: Int64 = 90 * 86_400

    /// Returns the next delay in seconds, or `nil` if the time has come.
    package static func next(until time: Timestamp, now: Timestamp) -> Int? {
        guard now < time else { return nil }
        let left = (time.milliseconds - now.milliseconds) / 1000
        return delays.last { $0 <= left } ?? delays[0]
    }
}
