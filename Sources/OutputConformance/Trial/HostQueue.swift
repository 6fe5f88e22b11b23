import Dispatch

/// A queue that calls the output as the host does: one call after another.
final class HostQueue: Sendable {
    private let queue = DispatchQueue(label: "host")

    /// Calls `body` without waiting for it.
    func call(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Waits until all earlier calls have returned.
    ///
    /// - Returns: Whether they returned in time.
    func isIdle(within limit: Duration) async -> Bool { await time(atMost: limit) {} != nil }

    /// Measures a call.
    ///
    /// - Returns: The duration of the call, or `nil` if it took longer than `limit`.
    func time(atMost limit: Duration, _ body: @escaping @Sendable () -> Void) async -> Duration? {
        let begun = Flag()
        let ended = Flag()
        queue.async {
            begun.set()
            body()
            ended.set()
        }
        // Earlier calls on the queue have a limit of their own.
        guard await eventually(within: limit, { begun.isSet }) else { return nil }
        let start = ContinuousClock.now
        return await eventually(within: limit) { ended.isSet } ? ContinuousClock.now - start : nil
    }
}
