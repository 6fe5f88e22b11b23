import PushModel

/// The priority of this worker's consumers. It is low for a time after the worker could not connect to a provider, so
/// that the broker prefers workers that can. A value type without clock or I/O.
///
/// | event | effect |
/// |---|---|
/// | no connection to a provider, while the priority is normal | low for a minute, or twice as long as last time |
/// | no connection to a provider, while the priority is low | low for at least another minute |
/// | the time is over | normal |
/// | an hour without such a failure | the next length is a minute |
///
/// The first row's limit is 16 minutes. A worker with a low priority still receives jobs for which workers with normal
/// priority have no room.
struct ConsumerPriority {
    static let low: Int32 = -1
    private static let (first, longest): (Int64, Int64) = (60_000, 960_000)
    private static let forgotten: Int64 = 3_600_000

    private(set) var isLow = false
    private var length: Int64 = 0
    private var end = Timestamp(milliseconds: 0)
    private var lastFailure = Timestamp(milliseconds: 0)

    /// Records that no connection to a provider could be made.
    ///
    /// - Returns: the time until ``check(now:)`` must be called, in milliseconds, or `nil` if the priority was already
    ///   low.
    mutating func cannotConnect(now: Timestamp) -> Int? {
        defer { lastFailure = now }
        guard !isLow else {
            end = max(end, Timestamp(milliseconds: now.milliseconds + Self.first))
            return nil
        }
        let isForgotten = now.milliseconds - lastFailure.milliseconds >= Self.forgotten
        length = isForgotten ? Self.first : min(Self.longest, max(Self.first, length * 2))
        isLow = true
        end = Timestamp(milliseconds: now.milliseconds + length)
        return Int(length)
    }

    /// Ends the low priority if its time is over.
    ///
    /// - Returns: the remaining time in milliseconds, or `nil` if the priority is normal.
    mutating func check(now: Timestamp) -> Int? {
        let left = end.milliseconds - now.milliseconds
        // If the clock was set back, the remaining time would be too long.
        isLow = isLow && left > 0 && left <= Self.longest
        return isLow ? Int(left) : nil
    }
}
