import Foundations
import HTTP2Session
import Logging
import NIOCore

/// A connection in a pool, with its requests on the wire. It reports its requests to the pool's client, and its own
/// state to the pool.
// why: unchecked because all access is on one event loop.
final class PooledConnection: @unchecked Sendable {
    /// The maximum time for which a connection that allows few streams counts as ramping up while its first answer is
    /// missing, in milliseconds. While a connection is ramping up, the pool may open fewer others.
    private static let rampingMilliseconds: Int64 = 2_000
    /// The time limit for sending the reset of a request that was given up, in milliseconds.
    private static let resetMilliseconds: Int64 = 10_000

    /// The pool. Pool and connection retain each other until the connection is closed.
    private let pool: ConnectionPool
    private let client: any PoolClient
    private let eventLoop: any EventLoop
    private let configuration: PoolConfiguration
    private let logger: Logger

    private var channel: (any Channel)?
    // Exclusivity checks are off, here and below, because they would slow down this hot path.
    @exclusivity(unchecked) private var state: ConnectionState
    /// The protocol handler, or `nil` until one of the addresses accepts the connection.
    @exclusivity(unchecked) private var wire: Wire?
    @exclusivity(unchecked) private var inFlight = InFlightTable()
    private var authorization: any ConnectionAuthorization
    /// The current header fields of the connection's authorization, or `nil` while requests must wait for them.
    @exclusivity(unchecked) private var fields: HTTP2Fields?
    /// Whether a request has been submitted since the last flush.
    @exclusivity(unchecked) private var hasSent = false
    @exclusivity(unchecked) private var hasReceived = false
    private var highestProcessed = Int32.max
    @exclusivity(unchecked) private(set) var roundTrip = RoundTripTime()
    /// The time at which a request was last sent or the connection opened, in milliseconds of ``Uptime``.
    private(set) var lastUsed: Int64
    private var openedAt: Int64?
    private var isUnused = true
    /// The address that the connection uses or is connecting to, or `nil` before it has one.
    var address: SocketAddress?
    /// Whether an answer has shown that the connection works.
    private(set) var isProven = false
    /// Whether the pool has already counted this connection as failed, or must not count it.
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

    // MARK: Connecting

    /// Creates the protocol handler once an address has accepted the connection.
    func makeWire(_ version: HTTPVersion) throws -> Wire {
        let wire: Wire = version == .http2 ? try .http2(for: self) : .http1(for: self)
        self.wire = wire
        return wire
    }

    /// Takes over the channel once TCP and TLS are established.
    func connected(_ channel: any Channel) {
        eventLoop.preconditionInEventLoop()
        self.channel = channel
        pool.meter?.hasConnected()
        state.connected(nowMilliseconds: Uptime.milliseconds())
        // The pool has given up on the connection in the meantime.
        if !isConnecting, !isOpen { return channel.close(promise: nil) }
        guard wire?.hasPings == false else { return }
        // HTTP/1.1 has neither PINGs nor SETTINGS, so the connection is open at once.
        state.sendsPings = false
        peerSettingsChanged()
    }

    // MARK: State and capacity

    var isConnecting: Bool { state.phase == .connecting || state.phase == .awaitingSettings }
    var isOpen: Bool { state.phase == .open }
    var openStreams: Int { inFlight.count }
    /// The maximum number of open streams, or 0 until the server has announced it.
    var maximumStreams: Int { allowedStreams ?? 0 }
    /// Whether the connection is open but lacks its authorization.
    var isAwaitingAuthorization: Bool { isOpen && fields == nil }

    private var allowedStreams: Int? {
        wire?.maximumStreams.map { min($0, configuration.maximumStreams ?? $0) }
    }

    var room: Room {
        guard fields != nil, let wire else { return .none }
        return state.room(wire.limits(maximumStreams: allowedStreams))
    }

    /// Returns whether the connection is still ramping up: it is connecting, or no answer has arrived yet.
    ///
    /// If few streams are open until the first answer, as with HTTP/1.1, a single slow request can delay this answer.
    /// The connection then counts as ramping up for a limited time only.
    func isRamping(now: Int64) -> Bool {
        guard isOpen, let openedAt else { return isConnecting }
        let isNarrow = authorization.streamsUntilProven != nil || maximumStreams == 1
        return !isProven && (!isNarrow || now - openedAt < Self.rampingMilliseconds)
    }

    /// Marks the connection as proven.
    ///
    /// - Returns: Whether the connection was unproven until now.
    func prove() -> Bool {
        defer { isProven = true }
        return !isProven
    }

    /// Marks the connection as failed, unless it is proven.
    ///
    /// - Returns: Whether the connection is newly marked.
    func fail() -> Bool {
        guard !isProven, !hasFailed else { return false }
        hasFailed = true
        return true
    }

    // MARK: Sending

    /// Fetches the header fields of the connection's authorization. Called once in each turn in which requests wait.
    func renewAuthorization() {
        do {
            fields = try authorization.fields()
        } catch {
            fields = nil
            logger.error(
                .authorizationUnusable, "The authorization is not a valid header field",
                metadata: ["error": "\(error)"])
            retire()
        }
    }

    /// Submits a request, which is sent by the next ``flush()``.
    func send(_ request: PoolRequest, now: Int64) throws {
        eventLoop.assertInEventLoop()
        guard let fields, let wire else { throw HTTP2Error(.closing, "the connection has no authorization") }
        let stream = try wire.submit(request, with: fields, tag: inFlight.nextPlace)
        inFlight.insert(InFlightRequest(request, streamID: stream, sentAt: now))
        lastUsed = now
        hasSent = true
        isUnused = false
    }

    /// Sends the requests of this turn. Called after the turn's last request has been submitted.
    func flush() {
        if hasSent { authorization.used() }
        hasSent = false
        wire?.flush()
    }

    /// Cancels requests that the server can't have begun to process. Each request is reported with
    /// ``PoolClient/unprocessed(_:_:now:)``.
    ///
    /// - Parameter isMeant: A function that returns whether to cancel the request with a tag.
    func cancel(_ isMeant: (_ tag: Int) -> Bool) {
        eventLoop.preconditionInEventLoop()
        guard let wire else { return }
        for request in inFlight.requests where isMeant(request.tag) && !wire.mayHaveArrived(request.streamID) {
            wire.cancel(request.streamID)
            wire.flush()
        }
    }

    // MARK: Signs of life

    /// Records that the server is alive if anything has arrived from it since the last call. Called once in each turn.
    func noteSignsOfLife(now: Int64) {
        eventLoop.preconditionInEventLoop()
        guard hasReceived else { return }
        hasReceived = false
        state.received(nowMilliseconds: now)
    }

    /// Returns whether the connection must be closed after this idle time, because the server may close it at any
    /// moment. A request that is sent at that moment would be lost.
    func mustClose(idleMilliseconds: Int64) -> Bool {
        wire?.idleMilliseconds.map { idleMilliseconds >= $0 } ?? false
    }

    /// Checks for signs of life and for overdue answers. Called once a second.
    func tick(now: Int64) {
        // Data may have arrived while this process was suspended.
        noteSignsOfLife(now: now)
        if now - lastUsed < 60_000 { authorization.lookAhead() }
        switch state.tick(nowMilliseconds: now, openStreams: inFlight.count) {
        case .nothing: break
        case .ping: wire?.ping()
        case .giveUp: return giveUp()
        }
        let timeout = Int64(configuration.requestTimeoutSeconds) * 1000
        // The connection is stuck if it could not even send the reset of a request that was given up.
        if inFlight.hasGivenUp(sentBefore: now - timeout - Self.resetMilliseconds) { return giveUp() }
        let overdue = inFlight.giveUp(sentBefore: now - timeout)
        guard !overdue.isEmpty else { return }
        logger.warning(
            .answersOverdue, "No answer from \(configuration.service) in time",
            metadata: ["requests": "\(overdue.count)"])
        for stream in overdue { wire?.cancel(stream) }
        wire?.flush()
        retire()
    }

    private func giveUp() {
        logger.warning(.connectionSilent, "No sign of life from \(configuration.service); closing the connection")
        channel?.close(promise: nil)
        channelClosed(error: ConnectError.noSignOfLife(configuration.service))
    }

    // MARK: Closing

    /// Stops new requests, and closes the connection after the last answer.
    func retire() {
        eventLoop.preconditionInEventLoop()
        guard state.retire() else { return }
        closeIfDrained()
        pool.scheduleTurn()
    }

    /// Retires the connection because the pool does not need it. If the connection was never used, its end does not
    /// count as a failure.
    func dismiss() {
        if isUnused { hasFailed = true }
        retire()
    }

    /// Closes the connection at once. Requests on the wire are lost.
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
        // The status is sufficient, and the rest of such a body may never end.
        logger.warning(
            .answerTooLong, "An answer of \(configuration.service) is too long",
            metadata: ["stream": "\(request.streamID)"])
        wire?.cancel(request.streamID)
        responseEnded(tag: place)
    }

    func responseEnded(tag place: Int) {
        // The answer is reported here, because the stream may close later or never.
        guard let request = inFlight.remove(place) else { return }
        hasReceived = true
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

    /// Handles a request that ended before its answer was complete.
    ///
    /// If the status shows that the request was accepted, only the rest of the body is missing. A request above
    /// GOAWAY's last stream was not processed (RFC 9113, section 6.8). A request whose end was never sent was not
    /// processed either, because a server cannot accept an incomplete body.
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
        hasReceived = true
        let now = Uptime.milliseconds()
        if state.settingsArrived(nowMilliseconds: now) {
            openedAt = now
            lastUsed = now
            if state.sendsPings { wire?.ping() }
        }
        pool.scheduleTurn()
    }

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        hasReceived = true
        highestProcessed = lastStreamID
        let openStreams = inFlight.count
        pool.leave(self)
        pool.meter?.goneAway(code)
        let reason = client.goAway(debugData: Array(debugData), now: pool.time())
        logger.notice(
            .goAway, "Received GOAWAY from \(configuration.service)",
            metadata: ["code": "\(code)", "reason": "\(reason ?? "-")", "open_streams": "\(openStreams)"])
    }

    func pingAcknowledged(_ payload: UInt64) {
        hasReceived = true
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
        // A server may accept the connection and then refuse this client's certificate.
        let isBeforeUse = isConnecting || isUnused && error.map(ConnectError.refusesCertificate) == true
        state.close()
        // Later input is ignored. This also breaks the reference cycle of a handler that never joined a channel.
        wire?.detach()
        // If a cleartext HTTP/1.1 connection is closed because of an overdue answer, this function is called
        // synchronously. The request is then still in the table.
        for request in inFlight.removeAll() { ended(request, request.isGivenUp ? .timeout : .connectionLost(error)) }
        wire = nil
        pool.closed(self, error: error, beforeUse: isBeforeUse)
    }
}
