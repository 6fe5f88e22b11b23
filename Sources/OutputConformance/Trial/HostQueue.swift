import Dispatch

/// Calls the output as the host does: from a queue of its own, one call after another.
final class HostQueue: Sendable {
    private let queue = DispatchQueue(label: "host")

    /// Does not wait for it.
    func call(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// - Returns: whether all calls before have returned in time.
    func isIdle(within limit: Duration) async -> Bool { await time(atMost: limit) {} != nil }

    /// - Returns: how long the call took; nil: longer than `limit`.
    func time(atMost limit: Duration, _ body: @escaping @Sendable () -> Void) async -> Duration? {
        let begun = Flag()
        let ended = Flag()
        queue.async {
            begun.set()
            body()
            ended.set()
        }
        // Calls that came before on the queue have a limit of their own.
        guard await eventually(within: limit, { begun.isSet }) else { return nil }
        let start = ContinuousClock.now
        return await eventually(within: limit) { ended.isSet } ? ContinuousClock.now - start : nil
    }
}
