/// Decides how many connections a pool has. A value: no clock, no I/O.
///
/// A pool with work and no connection opens one. It opens more if its connections have had no free stream or window for
/// a while and the limit is the round trip, not this process. The round trip is the limit if the server is far away,
/// answers slowly or allows few streams. The pool opens one connection at a time. If several rounds of work wait, or if
/// connections take one request at a time, it opens up to as many as it has.
package struct PoolSizing {
    package struct Load {
        /// Pushes that found no room.
        package var waiting: Int
        package var inFlight: Int
        /// Connections that take part.
        package var established: Int
        /// Connections on their way to that.
        package var ramping: Int
        /// Connections in use that the server wants closed, and whose place nobody has taken.
        package var replacements: Int
        /// Smoothed time an answer takes.
        package var answerMilliseconds: Double
        /// Of a PING.
        package var roundTripMilliseconds: Double

        package init(
            waiting: Int, inFlight: Int, established: Int, ramping: Int, replacements: Int = 0,
            answerMilliseconds: Double, roundTripMilliseconds: Double
        ) {
            self.waiting = waiting
            self.inFlight = inFlight
            self.established = established
            self.ramping = ramping
            self.replacements = replacements
            self.answerMilliseconds = answerMilliseconds
            self.roundTripMilliseconds = roundTripMilliseconds
        }

        /// Several rounds of what fits into the connections.
        private var isPressureLarge: Bool { waiting > 4 * inFlight }

        /// Whether each connection takes one request at a time, as in HTTP/1.1. The client's limit on requests is then
        /// a limit on connections.
        private var isSerial: Bool { inFlight <= established }

        /// The most connections that may be opening at once.
        fileprivate var mostAtOnce: Int {
            if isPressureLarge { return max(1, established, replacements) }
            return isSerial ? max(1, min(waiting, established)) : 1
        }

        /// So few streams fit that a short way, too, leaves us idle: the server has slowed the connections down.
        private var isNarrow: Bool { inFlight < PoolSizing.narrowStreams * established }

        /// The wait is the network's or the server's and not our own. Requests in flight take us some time,
        /// too: beyond 100 pushes a millisecond more connections are only more work.
        fileprivate var isWayLong: Bool {
            let ownMilliseconds = Double(inFlight) / 100
            return isNarrow || roundTripMilliseconds > max(PoolSizing.longWayMilliseconds, ownMilliseconds)
                || answerMilliseconds > max(PoolSizing.slowAnswerMilliseconds, ownMilliseconds)
        }
    }

    package enum Decision: Equatable {
        case stay
        case connect(Int)
        /// Decide again after so many milliseconds.
        case lookAgain(milliseconds: Int64)
    }

    package static let saturationMilliseconds: Int64 = 250
    package static let longWayMilliseconds = 5.0
    package static let slowAnswerMilliseconds = 25.0
    /// Streams of a connection; a window holds twice as many of the largest payloads.
    package static let narrowStreams = 8

    package let maximumConnections: Int
    private var saturatedSince: Int64?

    package init(maximumConnections: Int) {
        self.maximumConnections = maximumConnections
    }

    /// To be asked when connections have been given all that they have room for.
    package mutating func decide(_ load: Load, nowMilliseconds now: Int64) -> Decision {
        let left = maximumConnections - load.established - load.ramping
        let allowed = min(left, load.mostAtOnce - load.ramping)
        guard load.waiting > 0, allowed > 0 else {
            saturatedSince = nil
            return .stay
        }
        if load.established + load.ramping == 0 || load.replacements > 0 {
            saturatedSince = nil
            return .connect(max(1, min(allowed, load.replacements)))
        }
        guard load.isWayLong else {
            saturatedSince = nil
            return .stay
        }
        let since = saturatedSince ?? now
        saturatedSince = since
        let remaining = since + Self.saturationMilliseconds - now
        if remaining > 0 { return .lookAgain(milliseconds: remaining) }
        saturatedSince = nil
        return .connect(allowed)
    }
}
