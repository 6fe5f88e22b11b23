import PushModel

/// The life of one connection to APNs. A value: events go in, what to do comes out.
///
/// | phase | goes to |
/// |---|---|
/// | connecting | open, when the server's SETTINGS have come over TCP and TLS |
/// | connecting | closed, when that fails or takes too long |
/// | open | draining, when the server sent GOAWAY or an answer said that this connection is of no more use |
/// | open, draining | closed, when the socket closed, the peer broke the protocol, or a PING stayed unanswered |
/// | draining | closed, when the last answer has come |
package struct ConnectionState {
    package enum Phase: Equatable {
        case connecting
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
    package static let suspicionMilliseconds: Int64 = 10_000
    /// Without traffic a PING keeps middle boxes from forgetting the connection.
    package static let idlePingMilliseconds: Int64 = 900_000
    package static let pingTimeoutMilliseconds: Int64 = 10_000

    package private(set) var phase = Phase.connecting
    private let usesProviderToken: Bool
    private let connectTimeoutMilliseconds: Int64
    private var hasAnswer = false
    private var lastHeard: Int64
    private var pingSentAt: Int64?

    package init(usesProviderToken: Bool, connectTimeoutMilliseconds: Int64, nowMilliseconds: Int64) {
        self.usesProviderToken = usesProviderToken
        self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
        lastHeard = nowMilliseconds
    }

    /// The server's SETTINGS arrived, at first or anew.
    package mutating func settingsArrived() {
        if phase == .connecting { phase = .open }
    }

    /// How many streams may be opened on top of `openStreams`.
    ///
    /// With token authentication APNs allows one stream until the first request is authenticated (Apple:
    /// "Sending notification requests to APNs"); before its SETTINGS arrive one stream is all we may assume.
    package func capacity(openStreams: Int, peerMaximum: Int?) -> Int {
        guard phase == .open else { return 0 }
        let limit = usesProviderToken && !hasAnswer ? min(1, peerMaximum ?? 1) : peerMaximum ?? 1
        return max(0, limit - openStreams)
    }

    package mutating func answered() { hasAnswer = true }

    package mutating func heard(nowMilliseconds: Int64) {
        lastHeard = nowMilliseconds
        pingSentAt = nil
    }

    /// No new requests from now on; true when it was in use until now.
    package mutating func retire() -> Bool {
        guard phase == .open || phase == .connecting else { return false }
        phase = .draining
        return true
    }

    package mutating func close() { phase = .closed }

    package mutating func tick(nowMilliseconds now: Int64, openStreams: Int) -> Tick {
        guard phase != .closed else { return .nothing }
        if phase == .connecting { return now - lastHeard >= connectTimeoutMilliseconds ? .giveUp : .nothing }
        if let pingSentAt {
            return now - pingSentAt >= Self.pingTimeoutMilliseconds ? .giveUp : .nothing
        }
        let patience = openStreams > 0 ? Self.suspicionMilliseconds : Self.idlePingMilliseconds
        guard now - lastHeard >= patience else { return .nothing }
        pingSentAt = now
        return .ping
    }
}
