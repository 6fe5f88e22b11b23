import Dispatch

/// A queue that calls the output in the same way as the host does: one call after another.
final class HostQueue: Sendable {
    private let queue = DispatchQueue(label: "host")

    /// Calls `body` on the queue without waiting for it.
    func call(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Waits until all earlier calls have returned.
    ///
    /// - Returns: whether they returned within the limit.
    func isIdle(within limit: Duration) async -> Bool { await time(atMost: limit) {} != nil }

    /// Measures the duration of a call on the queue.
    ///
    /// - Returns: the duration of the call, or `nil` if the call, or the wait for earlier calls, took longer than
    ///   `limit`.
    func time(atMost limit: Duration, _ body: @escaping @Sendable () -> Void) async -> Duration? {
        let begun = Flag()
        let ended = Flag()
        queue.async {
            begun.set()
            body()
            ended.set()
        }
        // The wait for earlier calls on the queue does not count as a part of the duration.
        guard await eventually(within: limit, { begun.isSet }) else { return nil }
        let start = ContinuousClock.now
        return await eventually(within: limit) { ended.isSet } ? ContinuousClock.now - start : nil
    }
}
