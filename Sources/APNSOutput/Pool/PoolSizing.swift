/// Decides how many connections a pool has. A value: no clock, no I/O.
///
/// A pool with work and no connection opens one. It opens another when its connections have been full for a
/// while although answers take long, that is, when the round trip and not this process is what bounds it. It
/// lets the extra ones go when they have been idle for ten minutes; the last one stays open, as Apple asks.
package struct PoolSizing {
    package struct Load {
        package var isWorkWaiting: Bool
        package var openConnections: Int
        package var isConnecting: Bool
        /// Every open connection is full.
        package var isSaturated: Bool
        /// Smoothed time an answer takes, in milliseconds.
        package var answerMilliseconds: Double

        package init(
            isWorkWaiting: Bool, openConnections: Int, isConnecting: Bool, isSaturated: Bool,
            answerMilliseconds: Double
        ) {
            self.isWorkWaiting = isWorkWaiting
            self.openConnections = openConnections
            self.isConnecting = isConnecting
            self.isSaturated = isSaturated
            self.answerMilliseconds = answerMilliseconds
        }
    }

    package enum Decision: Equatable {
        case stay
        case connect
        /// Decide again after so many milliseconds.
        case lookAgain(milliseconds: Int64)
    }

    package static let saturationMilliseconds: Int64 = 250
    package static let slowAnswerMilliseconds = 25.0
    package static let idleMilliseconds: Int64 = 600_000

    package let maximumConnections: Int
    private var saturatedSince: Int64?

    package init(maximumConnections: Int) {
        self.maximumConnections = maximumConnections
    }

    package mutating func decide(_ load: Load, nowMilliseconds now: Int64) -> Decision {
        guard load.isWorkWaiting, !load.isConnecting else {
            saturatedSince = nil
            return .stay
        }
        if load.openConnections == 0 { return .connect }
        guard load.isSaturated, load.openConnections < maximumConnections,
            load.answerMilliseconds > Self.slowAnswerMilliseconds
        else {
            saturatedSince = nil
            return .stay
        }
        let since = saturatedSince ?? now
        saturatedSince = since
        let remaining = since + Self.saturationMilliseconds - now
        if remaining > 0 { return .lookAgain(milliseconds: remaining) }
        saturatedSince = nil
        return .connect
    }

    /// Whether a connection that has had nothing in flight for this long should be closed.
    package func shouldClose(idleMilliseconds: Int64, openConnections: Int) -> Bool {
        openConnections > 1 && idleMilliseconds >= Self.idleMilliseconds
    }
}
