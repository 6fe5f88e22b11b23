import Threading

/// A bound on the connections of many pools together, such as those to the hundreds of origins of Web Push.
///
/// The first connection of a pool comes first: a quarter of all is kept for those that have none yet.
package final class SharedConnectionLimit: Sendable {
    /// Who has got none asks again within a second.
    private static let memoryMilliseconds: Int64 = 2_000

    private struct State {
        var free: Int
        /// Uptime in milliseconds, until when a pool without any may still wait for one.
        var awaitedUntil = Int64.min
    }

    private let kept: Int
    private let state: Mutex<State>

    package init(_ maximum: Int) {
        kept = maximum - maximum * 3 / 4
        state = Mutex(State(free: maximum))
    }

    /// - Parameter owned: how many the pool has.
    /// - Returns: how many more it may open, at most `wanted`; each is to be released.
    package func take(upTo wanted: Int, beside owned: Int, nowMilliseconds now: Int64) -> Int {
        state.withLock { state in
            let first = owned == 0 ? min(1, wanted, state.free) : 0
            if owned == 0, first < min(1, wanted) { state.awaitedUntil = now + Self.memoryMilliseconds }
            let more = min(wanted - first, max(0, state.free - first - kept))
            state.free -= first + more
            return first + more
        }
    }

    package func release(_ count: Int) {
        state.withLock { $0.free += count }
    }

    /// Whether others need the place of a connection that is idle.
    ///
    /// - Parameter isLast: the pool has no other.
    package func wantsBack(isLast: Bool, nowMilliseconds now: Int64) -> Bool {
        state.withLock { now < $0.awaitedUntil || !isLast && $0.free <= kept }
    }
}
