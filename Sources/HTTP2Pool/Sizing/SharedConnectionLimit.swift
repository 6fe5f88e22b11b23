import Foundations

/// A limit on the connections of many pools together, such as the connections to hundreds of Web Push origins.
///
/// A quarter of the connections is reserved for pools that have no connection yet.
package final class SharedConnectionLimit: Sendable {
    /// The time for which a refused request for a connection is remembered, in milliseconds. A refused pool asks again
    /// within a second.
    private static let memoryMilliseconds: Int64 = 2_000

    private struct State {
        var free: Int
        /// The time until which a pool without connections may still wait for one, in milliseconds of ``Uptime``.
        var awaitedUntil = Int64.min
    }

    private let kept: Int
    private let state: Mutex<State>

    package init(_ maximum: Int) {
        kept = maximum - maximum * 3 / 4
        state = Mutex(State(free: maximum))
    }

    /// Reserves connections. Each connection must be released later.
    ///
    /// - Parameter owned: The number of connections that the pool has.
    /// - Returns: The number of connections that the pool may open, at most `wanted`.
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

    /// Returns whether an idle connection should be closed because other pools need its place in the limit.
    ///
    /// - Parameter isLast: Whether the idle connection is the last connection of its pool.
    package func wantsBack(isLast: Bool, nowMilliseconds now: Int64) -> Bool {
        state.withLock { now < $0.awaitedUntil || !isLast && $0.free <= kept }
    }
}
