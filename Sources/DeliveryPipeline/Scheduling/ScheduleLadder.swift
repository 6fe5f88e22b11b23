package import PushModel

/// How a job that is to run at a given time waits in the broker: in the longest delay that is not too long, again and
/// again, until its time has come. So it is never early, and late by less than the shortest delay, a second, when
/// nothing else keeps it.
package enum ScheduleLadder {
    /// Seconds.
    package static let delays = [1, 5, 30, 120, 900, 3600, 21_600]
    /// How far ahead a job may be scheduled, in seconds.
    package static let horizon: Int64 = 90 * 86_400

    /// - Returns: the next delay in seconds; nil when the time has come.
    package static func next(until time: Timestamp, now: Timestamp) -> Int? {
        guard now < time else { return nil }
        let left = (time.milliseconds - now.milliseconds) / 1000
        return delays.last { $0 <= left } ?? delays[0]
    }
}
