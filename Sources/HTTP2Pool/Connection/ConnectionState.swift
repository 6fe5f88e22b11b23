/// The life of one connection. A value: events go in, what to do comes out.
///
/// | phase | goes to | when |
/// |---|---|---|
/// | connecting | awaitingSettings | TCP and TLS are through to one of the addresses |
/// | connecting | closed | no address let us in |
/// | awaitingSettings | open | the server's SETTINGS have come, or it speaks HTTP/1.1, which has none |
/// | awaitingSettings | closed | they have not come in time, or the socket closed |
/// | connecting, awaitingSettings, open | draining | GOAWAY came, an answer said that this connection is of no more use, a request stayed unanswered, or the pool has no more use for it |
/// | open, draining | closed | the socket closed, the peer broke the protocol, or a PING stayed unanswered |
/// | draining | closed | the last answer has come |
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
        /// No sign of life: what is in flight is lost.
        case giveUp
    }

    /// With answers awaited and nothing heard for this long, a PING asks whether anybody is there.
    package static let silenceMilliseconds: Int64 = 10_000
    /// With answers awaited a PING measures the round trip this often.
    package static let measuringMilliseconds: Int64 = 15_000
    /// Without traffic a PING keeps middle boxes from forgetting the connection.
    package static let idlePingMilliseconds: Int64 = 900_000
    package static let pingTimeoutMilliseconds: Int64 = 10_000

    package private(set) var phase = Phase.connecting
    private let streamsUntilProven: Int?
    /// False: the way there is no PING, or the server bears none.
    package var sendsPings: Bool
    private let settingsTimeoutMilliseconds: Int64
    private var hasAnswer = false
    private var lastHeard: Int64
    /// The PING that nothing has been heard since.
    private var unansweredPing: Int64?
    private var lastPing: Int64

    /// - Parameter streamsUntilProven: so many streams at most before the first answer; nil: as many as the server
    ///   allows.
    package init(
        streamsUntilProven: Int?, sendsPings: Bool = true, settingsTimeoutMilliseconds: Int64,
        nowMilliseconds: Int64
    ) {
        self.streamsUntilProven = streamsUntilProven
        self.sendsPings = sendsPings
        self.settingsTimeoutMilliseconds = settingsTimeoutMilliseconds
        lastHeard = nowMilliseconds
        lastPing = nowMilliseconds
    }

    /// TCP and TLS are through.
    package mutating func connected(nowMilliseconds: Int64) {
        guard phase == .connecting else { return }
        phase = .awaitingSettings
        lastHeard = nowMilliseconds
    }

    /// The server's SETTINGS arrived, at first or anew; true at first.
    package mutating func settingsArrived(nowMilliseconds: Int64) -> Bool {
        guard phase == .connecting || phase == .awaitingSettings else { return false }
        phase = .open
        lastHeard = nowMilliseconds
        lastPing = nowMilliseconds
        return true
    }

    /// What may be sent on top of what is under way.
    ///
    /// Before the server's SETTINGS arrive one stream is all we may assume. A stream window of zero lets nothing
    /// through, so nothing is to wait for it on the wire's side.
    package func room(_ limits: FlowLimits) -> Room {
        guard phase == .open, limits.streamWindow > 0 else { return .none }
        let maximum = limits.maximumStreams ?? 1
        let streams = hasAnswer ? maximum : min(streamsUntilProven ?? maximum, maximum)
        return Room(
            streams: max(0, streams - limits.openStreams), bytes: max(0, limits.sendWindow - limits.unsentBytes))
    }

    package mutating func answered() { hasAnswer = true }

    package mutating func heard(nowMilliseconds: Int64) {
        lastHeard = nowMilliseconds
        unansweredPing = nil
    }

    /// No new requests from now on; true when it was in use until now.
    package mutating func retire() -> Bool {
        guard phase == .open || phase == .connecting || phase == .awaitingSettings else { return false }
        phase = .draining
        return true
    }

    package mutating func close() { phase = .closed }

    package mutating func tick(nowMilliseconds now: Int64, openStreams: Int) -> Tick {
        switch phase {
        // Each address has its own time; those who connect keep it.
        case .connecting, .closed: return .nothing
        case .awaitingSettings: return now - lastHeard >= settingsTimeoutMilliseconds ? .giveUp : .nothing
        case .open, .draining: break
        }
        guard sendsPings else { return .nothing }
        if let unansweredPing {
            return now - unansweredPing >= Self.pingTimeoutMilliseconds ? .giveUp : .nothing
        }
        let patience = openStreams > 0 ? Self.silenceMilliseconds : Self.idlePingMilliseconds
        let isMeasuringDue = openStreams > 0 && now - lastPing >= Self.measuringMilliseconds
        guard now - lastHeard >= patience || isMeasuringDue else { return .nothing }
        unansweredPing = now
        lastPing = now
        return .ping
    }
}
