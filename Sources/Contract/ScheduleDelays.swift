package import PushModel

/// The delays for jobs that wait for their `send_at` or a rate limit. A job passes through several delay queues. Each
/// time, it waits in the queue with the longest delay that does not exceed the remaining time, or for one second if
/// less remains. With `send_at`, it is therefore never early, and less than a second late if nothing else delays it.
package enum ScheduleDelays {
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
