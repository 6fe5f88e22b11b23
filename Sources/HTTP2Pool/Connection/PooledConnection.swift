import EventNames
import HTTP2Session
import Logging
import NIOCore

/// One connection of a pool with what is on its wire. Tells the pool's client of its requests, and the pool of
/// itself.
// why: unchecked because it lives on one event loop; nothing of it is touched from elsewhere.
final class PooledConnection: @unchecked Sendable {
    /// How long the first answer may hold up the pool's growth where few streams are open until it comes.
    private static let rampingMilliseconds: Int64 = 2_000
    /// How long the reset of a request that was given up may take to leave.
    private static let resetMilliseconds: Int64 = 10_000

    /// Until it is closed, each holds the other.
    private let pool: ConnectionPool
    private let client: any PoolClient
    private let eventLoop: any EventLoop
    private let configuration: PoolConfiguration
    private let logger: Logger

    private var channel: (any Channel)?
    // One owner, one thread: nothing for exclusivity checks to find on the hot path, here and below.
    @exclusivity(unchecked) private var state: ConnectionState
    /// Nil until one of the addresses has let us in.
    @exclusivity(unchecked) private var wire: Wire?
    @exclusivity(unchecked) private var inFlight = InFlightTable()
    private var authorization: any ConnectionAuthorization
    /// What requests carry now; nil: they have to wait for it.
    @exclusivity(unchecked) private var fields: HTTP2Fields?
    /// Since the last flush.
    @exclusivity(unchecked) private var hasSent = false
    @exclusivity(unchecked) private var hasHeard = false
    private var highestProcessed = Int32.max
    @exclusivity(unchecked) private(set) var roundTrip = RoundTripTime()
    /// Uptime in milliseconds.
    private(set) var lastUsed: Int64
    private var openedAt: Int64?
    private var isUnused = true
    /// Where it is connected to, or being connected.
    var address: SocketAddress?
    /// An answer has shown that it is of use.
    private(set) var isProven = false
    /// It has come to nothing, and that has been taken into account.
    private var hasFailed = false

    init(
        of pool: ConnectionPool, client: any PoolClient, authorization: any ConnectionAuthorization,
        eventLoop: any EventLoop, configuration: PoolConfiguration, logger: Logger, now: Int64
    ) {
        self.pool = pool
        self.client = client
        self.authorization = authorization
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.logger = logger
        state = ConnectionState(
            streamsUntilProven: authorization.streamsUntilProven, sendsPings: configuration.sendsPings,
            settingsTimeoutMilliseconds: Int64(configuration.connectTimeoutSeconds) * 1000, nowMilliseconds: now)
        lastUsed = now
    }

    // MARK: Its way to the server

    /// An address has let us in: what speaks with it from now on.
    func makeWire(_ version: HTTPVersion) throws -> Wire {
        let wire: Wire = version == .http2 ? try .http2(for: self) : .http1(for: self)
        self.wire = wire
        return wire
    }

    /// TCP and TLS are through; the pool hears what comes of it.
    func connected(_ channel: any Channel) {
        eventLoop.preconditionInEventLoop()
        self.channel = channel
        pool.meter?.hasConnected()
        state.connected(nowMilliseconds: Uptime.milliseconds())
        // why: given up meanwhile
        if !isConnecting, !isOpen { return channel.close(promise: nil) }
        guard wire?.hasPings == false else { return }
        // Nor SETTINGS to wait for.
        state.sendsPings = false
        peerSettingsChanged()
    }

    // MARK: What it is good for

    var isConnecting: Bool { state.phase == .connecting || state.phase == .awaitingSettings }
    var isOpen: Bool { state.phase == .open }
    var openStreams: Int { inFlight.count }
    /// That may be open at a time; 0 before the server has said so.
    var maximumStreams: Int { allowedStreams ?? 0 }
    /// Nothing but its authorization is missing.
    var isAwaitingAuthorization: Bool { isOpen && fields == nil }

    private var allowedStreams: Int? {
        wire?.maximumStreams.map { min($0, configuration.maximumStreams ?? $0) }
    }

    var room: Room {
        guard fields != nil, let wire else { return .none }
        return state.room(wire.limits(maximumStreams: allowedStreams))
    }

    /// On its way to take part: connecting, or without an answer yet. Where few streams are open until it comes, as with
    /// HTTP/1.1, that one answer may be long in coming, and only they wait for it; so not for long then.
    func isRamping(now: Int64) -> Bool {
        guard isOpen, let openedAt else { return isConnecting }
        let isNarrow = authorization.streamsUntilProven != nil || maximumStreams == 1
        return !isProven && (!isNarrow || now - openedAt < Self.rampingMilliseconds)
    }

    /// - Returns: whether this is news.
    func prove() -> Bool {
        defer { isProven = true }
        return !isProven
    }

    /// It has never been of use.
    ///
    /// - Returns: whether this is news.
    func fail() -> Bool {
        guard !isProven, !hasFailed else { return false }
        hasFailed = true
        return true
    }

    // MARK: Sending

    /// Once per turn in which there is something to send: takes what requests carry.
    func renewAuthorization() {
        do {
            fields = try authorization.fields()
        } catch {
            fields = nil
            logger.error(
                .authorizationUnusable, "The authorization makes no header field", metadata: ["error": "\(error)"])
            retire()
        }
    }

    /// Puts a request on the wire; it leaves with the next ``flush()``.
    func send(_ request: PoolRequest, now: Int64) throws {
        eventLoop.assertInEventLoop()
        guard let fields, let wire else { throw HTTP2Error(.closing, "the connection has no authorization") }
        let stream = try wire.submit(request, with: fields, tag: inFlight.nextPlace)
        inFlight.insert(InFlightRequest(request, streamID: stream, sentAt: now))
        lastUsed = now
        hasSent = true
        isUnused = false
    }

    /// After the last of a turn's requests.
    func flush() {
        if hasSent { authorization.used() }
        hasSent = false
        wire?.flush()
    }

    /// A request of which a part has not left is taken back; ``PoolClient/unprocessed(_:)`` tells of it.
    func cancel(_ isMeant: (_ tag: Int) -> Bool) {
        eventLoop.preconditionInEventLoop()
        guard let wire else { return }
        for request in inFlight.requests where isMeant(request.tag) && !wire.mayHaveArrived(request.streamID) {
            wire.cancel(request.streamID)
            wire.flush()
        }
    }

    // MARK: Signs of life

    /// Once per turn: anything the server sent proves that it is there.
    func noteSignsOfLife(now: Int64) {
        eventLoop.preconditionInEventLoop()
        guard hasHeard else { return }
        hasHeard = false
        state.heard(nowMilliseconds: now)
    }

    /// Its server may close it any moment after so long without a request, and what is sent then would be lost.
    func mustClose(idleMilliseconds: Int64) -> Bool {
        wire?.idleMilliseconds.map { idleMilliseconds >= $0 } ?? false
    }

    /// Once a second: signs of life, and requests that have waited too long for their answer.
    func tick(now: Int64) {
        // Of what came in while this process stood still.
        noteSignsOfLife(now: now)
        if now - lastUsed < 60_000 { authorization.lookAhead() }
        switch state.tick(nowMilliseconds: now, openStreams: inFlight.count) {
        case .nothing: break
        case .ping: wire?.ping()
        case .giveUp: return giveUp()
        }
        let timeout = Int64(configuration.requestTimeoutSeconds) * 1000
        // Not even the resets of what was given up leave.
        if inFlight.hasGivenUp(sentBefore: now - timeout - Self.resetMilliseconds) { return giveUp() }
        let overdue = inFlight.giveUp(sentBefore: now - timeout)
        guard !overdue.isEmpty else { return }
        logger.warning(
            .answersOverdue, "\(configuration.service) did not answer in time",
            metadata: ["requests": "\(overdue.count)"])
        for stream in overdue { wire?.cancel(stream) }
        wire?.flush()
        retire()
    }

    private func giveUp() {
        logger.warning(.connectionSilent, "\(configuration.service) gives no sign of life, closing the connection")
        channel?.close(promise: nil)
        channelClosed(error: ConnectError.noSignOfLife(configuration.service))
    }

    // MARK: Its end

    /// Takes no new requests; closes once the last answer has come.
    func retire() {
        eventLoop.preconditionInEventLoop()
        guard state.retire() else { return }
        closeIfDrained()
        pool.scheduleTurn()
    }

    /// The same for one that is not needed: where it never was, that says nothing of its server.
    func dismiss() {
        if isUnused { hasFailed = true }
        retire()
    }

    /// Closes at once; what is on the wire is lost.
    func abandon() {
        channel?.close(promise: nil)
        channelClosed(error: nil)
    }

    private func closeIfDrained() {
        guard state.phase == .draining, inFlight.isEmpty else { return }
        wire?.close()
    }
}

extension PooledConnection: HTTP2ClientDelegate {
    func responseStarted(tag place: Int, status: Int) {
        inFlight.update(place) { $0.status = status }
    }

    func responseField(tag place: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let tag = inFlight[place]?.tag else { return }
        client.answerField(tag, name: name, value: value)
    }

    func responseData(tag place: Int, _ bytes: UnsafeRawBufferPointer) {
        inFlight.update(place) { $0.append(bytes, maximum: configuration.maximumAnswerBytes) }
        guard let request = inFlight[place], request.isTooLong else { return }
        // The status has come and says all there is to know; the rest of such a body may never end.
        logger.warning(
            .answerTooLong, "An answer of \(configuration.service) is too long to be one",
            metadata: ["stream": "\(request.streamID)"])
        wire?.cancel(request.streamID)
        responseEnded(tag: place)
    }

    func responseEnded(tag place: Int) {
        // Answered here and not when the stream closes, which may come later or never.
        guard let request = inFlight.remove(place) else { return }
        hasHeard = true
        answered(request)
    }

    private func answered(_ request: InFlightRequest, cut: RequestLoss? = nil) {
        state.answered()
        let now = pool.time()
        let answer = PoolAnswer(
            status: request.status, body: request.body, isTooLong: request.isTooLong, cut: cut,
            milliseconds: now - request.sentAt)
        if !state.sendsPings { roundTrip.measured(milliseconds: Double(answer.milliseconds)) }
        let verdict = client.answered(request.tag, answer, now: now)
        if case .replaceExpired = verdict { authorization.expired() }
        pool.meter?.answered(answer.status, after: answer.milliseconds)
        pool.answered(on: self, after: answer.milliseconds, verdict)
        if state.phase == .draining { closeIfDrained() }
    }

    func streamClosed(tag place: Int, streamID: Int32, code: HTTP2ErrorCode) {
        guard let request = inFlight.remove(place, stream: streamID) else { return }
        if code == .refusedStream {
            client.unprocessed(request.tag, nil, now: pool.time())
        } else {
            ended(request, request.isGivenUp ? .timeout : .streamReset(code))
        }
        closeIfDrained()
    }

    /// Ended before its answer was whole. Where the status says that it was accepted, only words are missing. A request
    /// above GOAWAY's last stream was not processed (RFC 9113, section 6.8). Nor was one whose end never left: with a
    /// part of its body missing there is nothing that the server could have accepted.
    private func ended(_ request: InFlightRequest, _ loss: RequestLoss) {
        if request.isAccepted {
            answered(request, cut: loss)
        } else if request.streamID > highestProcessed || wire?.mayHaveArrived(request.streamID) != true {
            client.unprocessed(request.tag, loss, now: pool.time())
        } else {
            client.lost(request.tag, loss, now: pool.time())
        }
    }

    func peerSettingsChanged() {
        hasHeard = true
        let now = Uptime.milliseconds()
        if state.settingsArrived(nowMilliseconds: now) {
            openedAt = now
            lastUsed = now
            if state.sendsPings { wire?.ping() }
        }
        pool.scheduleTurn()
    }

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        hasHeard = true
        highestProcessed = lastStreamID
        let openStreams = inFlight.count
        pool.leave(self)
        pool.meter?.goneAway(code)
        let reason = client.goAway(debugData: Array(debugData), now: pool.time())
        logger.notice(
            .goAway, "\(configuration.service) sent GOAWAY",
            metadata: ["code": "\(code)", "reason": "\(reason ?? "-")", "open_streams": "\(openStreams)"])
    }

    func pingAcknowledged(_ payload: UInt64) {
        hasHeard = true
        let nanoseconds = Double(NIODeadline.now().uptimeNanoseconds) - Double(payload)
        roundTrip.measured(milliseconds: nanoseconds / 1_000_000)
        pool.meter?.pinged(milliseconds: nanoseconds / 1_000_000)
        pool.scheduleTurn()
    }
}

extension PooledConnection: HTTP1ClientDelegate {
    func answeredLast() { pool.completed(self) }

    func channelClosed(error: (any Error)?) {
        eventLoop.preconditionInEventLoop()
        guard state.phase != .closed else { return }
        // A server may let us in and then refuse what TLS has shown it of us.
        let isBeforeUse = isConnecting || isUnused && error.map(ConnectError.refusesCertificate) == true
        state.close()
        // Nobody cares what the socket may still bring; and this unties what never came to be part of a channel.
        wire?.detach()
        // A cleartext HTTP/1.1 connection that is closed because of an overdue answer gets here at once.
        for request in inFlight.removeAll() { ended(request, request.isGivenUp ? .timeout : .connectionLost(error)) }
        wire = nil
        pool.closed(self, error: error, beforeUse: isBeforeUse)
    }
}
