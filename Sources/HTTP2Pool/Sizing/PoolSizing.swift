/// The policy that decides how many connections a pool has. A value type without clock or I/O.
///
/// A pool with work and no connection opens one. It opens more connections if the existing ones have had no free stream
/// or window for a while, and if requests wait for the network or the server, not for this process. That is assumed if
/// the server is far away, answers slowly or allows few streams. The pool normally opens one connection at a time. It
/// may double its connections at once if more than four times as many requests wait as are in flight, or if each
/// connection takes one request at a time.
package struct PoolSizing {
    package struct Load {
        /// The number of requests for which no connection had room.
        package var waiting: Int
        package var inFlight: Int
        /// The number of open connections that are no longer ramping up.
        package var established: Int
        /// The number of connections that are ramping up: they are connecting, or wait for their first answer.
        package var ramping: Int
        /// The number of proven connections that the server asked to close and that have no replacement yet.
        package var replacements: Int
        /// The smoothed time from a request to its answer, in milliseconds.
        package var answerMilliseconds: Double
        /// The shortest round-trip time of the pool's connections, in milliseconds, or 0 if it is unknown.
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

        /// Whether more than four times as many requests wait as are in flight.
        private var isPressureLarge: Bool { waiting > 4 * inFlight }

        /// Whether each connection takes one request at a time, as in HTTP/1.1. Each further request in flight then
        /// needs another connection.
        private var isSerial: Bool { inFlight <= established }

        /// The maximum number of connections that may be opening at the same time.
        fileprivate var mostAtOnce: Int {
            if isPressureLarge { return max(1, established, replacements) }
            return isSerial ? max(1, min(waiting, established)) : 1
        }

        /// Whether the connections carry so few streams that they are mostly idle, even with a short round trip. This
        /// happens if the server limits the streams.
        private var isNarrow: Bool { inFlight < PoolSizing.narrowStreams * established }

        /// Whether the wait is caused by the network or the server, not by this process. This process needs a
        /// millisecond for about 100 requests in flight. If the measured times are not longer than that, more
        /// connections only add work.
        fileprivate var isWayLong: Bool {
            let ownMilliseconds = Double(inFlight) / 100
            return isNarrow || roundTripMilliseconds > max(PoolSizing.longWayMilliseconds, ownMilliseconds)
                || answerMilliseconds > max(PoolSizing.slowAnswerMilliseconds, ownMilliseconds)
        }
    }

    package enum Decision: Equatable {
        case stay
        case connect(Int)
        /// Decide again after this time.
        case lookAgain(milliseconds: Int64)
    }

    package static let saturationMilliseconds: Int64 = 250
    package static let longWayMilliseconds = 5.0
    package static let slowAnswerMilliseconds = 25.0
    /// The average number of streams on a connection below which connections count as narrow. The default flow-control
    /// window has room for about 16 payloads of 4,096 bytes, so it does not make a connection narrow.
    package static let narrowStreams = 8

    package let maximumConnections: Int
    private var saturatedSince: Int64?

    package init(maximumConnections: Int) {
        self.maximumConnections = maximumConnections
    }

    /// Decides whether to open connections. Call this after the existing connections have been filled.
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
