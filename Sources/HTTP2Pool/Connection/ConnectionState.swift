/// The state machine of one connection's life cycle. A value type without clock or I/O.
///
/// | phase | goes to | when |
/// |---|---|---|
/// | connecting | awaitingSettings | TCP and TLS are established to one of the addresses |
/// | connecting | closed | no address accepted the connection |
/// | awaitingSettings | open | the server's SETTINGS arrived, or the server speaks HTTP/1.1, which has none |
/// | awaitingSettings | closed | SETTINGS did not arrive in time, or the socket closed |
/// | connecting, awaitingSettings, open | draining | GOAWAY arrived, or an answer retired the connection |
/// | connecting, awaitingSettings, open | draining | a request got no answer, or the connection is not needed |
/// | open, draining | closed | the socket closed, the peer broke the protocol, or a PING got no answer |
/// | draining | closed | the last answer arrived |
package struct ConnectionState {
    package enum Phase: Equatable {
        case connecting
        case awaitingSettings
        case open
        case draining
        case closed
    }

    package enum Tick: Equatable {
        case nothing
        case ping
        /// The peer shows no sign of life. The connection must be closed, and requests in flight are lost.
        case giveUp
    }

    /// The silence after which a PING tests the connection while answers are due, in milliseconds.
    package static let silenceMilliseconds: Int64 = 10_000
    /// The interval of PINGs that measure the round trip while answers are due, in milliseconds.
    package static let measuringMilliseconds: Int64 = 15_000
    /// The time without traffic after which a PING keeps middleboxes from forgetting the connection, in milliseconds.
    package static let idlePingMilliseconds: Int64 = 900_000
    package static let pingTimeoutMilliseconds: Int64 = 10_000

    package private(set) var phase = Phase.connecting
    private let streamsUntilProven: Int?
    /// Whether to send PINGs. It is `false` if the protocol has no PINGs or the server does not tolerate them.
    package var sendsPings: Bool
    private let settingsTimeoutMilliseconds: Int64
    private var hasAnswer = false
    private var lastReceived: Int64
    /// The time of the last PING in milliseconds of ``Uptime``, or `nil` if anything has been received since then.
    private var unansweredPing: Int64?
    private var lastPing: Int64

    /// Creates the state of a connection that is connecting.
    ///
    /// - Parameter streamsUntilProven: The maximum number of streams before the first answer, or `nil` to apply only
    ///   the server's limit.
    package init(
        streamsUntilProven: Int?, sendsPings: Bool = true, settingsTimeoutMilliseconds: Int64,
        nowMilliseconds: Int64
    ) {
        self.streamsUntilProven = streamsUntilProven
        self.sendsPings = sendsPings
        self.settingsTimeoutMilliseconds = settingsTimeoutMilliseconds
        lastReceived = nowMilliseconds
        lastPing = nowMilliseconds
    }

    /// Records that TCP and TLS are established.
    package mutating func connected(nowMilliseconds: Int64) {
        guard phase == .connecting else { return }
        phase = .awaitingSettings
        lastReceived = nowMilliseconds
    }

    /// Records that the server's SETTINGS arrived. Returns `true` on the first call.
    package mutating func settingsArrived(nowMilliseconds: Int64) -> Bool {
        guard phase == .connecting || phase == .awaitingSettings else { return false }
        phase = .open
        lastReceived = nowMilliseconds
        lastPing = nowMilliseconds
        return true
    }

    /// Returns the streams and body bytes that are free for further requests.
    ///
    /// As long as the server's limit is unknown, one stream is assumed. If the stream window is zero, no body can be
    /// sent. The method then returns no room, which keeps requests in the pool instead of in the connection.
    package func room(_ limits: FlowLimits) -> Room {
        guard phase == .open, limits.streamWindow > 0 else { return .none }
        let maximum = limits.maximumStreams ?? 1
        let streams = hasAnswer ? maximum : min(streamsUntilProven ?? maximum, maximum)
        return Room(
            streams: max(0, streams - limits.openStreams), bytes: max(0, limits.sendWindow - limits.unsentBytes))
    }

    package mutating func answered() { hasAnswer = true }

    package mutating func received(nowMilliseconds: Int64) {
        lastReceived = nowMilliseconds
        unansweredPing = nil
    }

    /// Stops new requests. Returns `false` if the connection is already draining or closed.
    package mutating func retire() -> Bool {
        guard phase == .open || phase == .connecting || phase == .awaitingSettings else { return false }
        phase = .draining
        return true
    }

    package mutating func close() { phase = .closed }

    package mutating func tick(nowMilliseconds now: Int64, openStreams: Int) -> Tick {
        switch phase {
        // The Connector limits the time for each address.
        case .connecting, .closed: return .nothing
        case .awaitingSettings: return now - lastReceived >= settingsTimeoutMilliseconds ? .giveUp : .nothing
        case .open, .draining: break
        }
        guard sendsPings else { return .nothing }
        if let unansweredPing {
            return now - unansweredPing >= Self.pingTimeoutMilliseconds ? .giveUp : .nothing
        }
        let patience = openStreams > 0 ? Self.silenceMilliseconds : Self.idlePingMilliseconds
        let isMeasuringDue = openStreams > 0 && now - lastPing >= Self.measuringMilliseconds
        guard now - lastReceived >= patience || isMeasuringDue else { return .nothing }
        unansweredPing = now
        lastPing = now
        return .ping
    }
}
