import Glibc
import HTTP2Channel
import HTTP2Session
import Logging
import NIOCore
import PushModel

/// What a connection tells the pool it belongs to, on their common event loop.
protocol APNSConnectionOwner: AnyObject {
    func answered(_ push: InFlightPush, on connection: APNSConnection)
    /// Certainly not processed: may be sent again at once.
    func unprocessed(_ push: QueuedPush)
    /// May have been accepted.
    func lost(_ push: QueuedPush, reason: String)
    /// The server wants the connection closed and says why, mostly with one of APNs' reasons; some of them
    /// mean that it refuses the credential. The connection takes no more pushes.
    func goAway(_ connection: APNSConnection, reason: String?)
    /// Has room, or is on its way out.
    func changed(_ connection: APNSConnection)
    func closed(_ connection: APNSConnection, error: (any Error)?, whileConnecting: Bool)
}

/// One HTTP/2 connection to APNs with what is on its wire.
// why: unchecked because it lives on one event loop; nothing of it is touched from elsewhere.
final class APNSConnection: @unchecked Sendable {
    /// How long the first answer may hold up the pool's growth where one push at most waits for it.
    private static let rampingMilliseconds: Int64 = 2_000

    private let session: HTTP2ClientSession
    private let authority: String
    private let tokens: ProviderTokenSource?
    private unowned let owner: any APNSConnectionOwner
    private let eventLoop: any EventLoop
    private let logger: Logger

    private var handler: HTTP2ChannelHandler<HTTP2ClientSession>?
    private var channel: (any Channel)?
    private var state: ConnectionState
    private var inFlight = InFlightTable()
    private var fields: HTTP2Fields
    private var token = ConnectionToken()
    /// Whether requests may leave with what ``fields`` says, and the time of that decision.
    private var mayAuthenticate: Bool
    private var tokenTime: Int64 = 0
    private var hasHeard = false
    private var highestProcessed = Int32.max
    private(set) var roundTrip = RoundTripTime()
    /// Uptime in milliseconds.
    private(set) var lastUsed: Int64
    private var openedAt: Int64?

    // What the pool keeps with each of its connections.

    /// Where it is connected to, or being connected.
    var address: SocketAddress?
    /// An answer has shown that it is of use.
    var isProven = false
    /// It has come to nothing, and that has been taken into account.
    var hasFailed = false

    init(
        authority: String, tokens: ProviderTokenSource?, settingsTimeoutSeconds: Int,
        owner: any APNSConnectionOwner, eventLoop: any EventLoop, logger: Logger, now: Moment
    ) throws {
        self.authority = authority
        self.tokens = tokens
        self.owner = owner
        self.eventLoop = eventLoop
        self.logger = logger
        state = ConnectionState(
            usesProviderToken: tokens != nil, settingsTimeoutMilliseconds: Int64(settingsTimeoutSeconds) * 1000,
            nowMilliseconds: now.uptime)
        lastUsed = now.uptime
        mayAuthenticate = tokens == nil
        fields = try Self.fields(authority: authority, token: nil)
        session = try HTTP2ClientSession(settings: HTTP2Settings(maxHeaderListSize: 16_384))
        session.delegate = self
    }

    /// What becomes part of the channel to the address that lets us in.
    func makeHandler() -> HTTP2ChannelHandler<HTTP2ClientSession> {
        let handler = handler ?? HTTP2ChannelHandler(session: session, observer: self)
        self.handler = handler
        return handler
    }

    /// TCP and TLS are through; ``APNSConnectionOwner/changed(_:)`` or
    /// ``APNSConnectionOwner/closed(_:error:whileConnecting:)`` tells what comes of it.
    func connected(_ channel: any Channel) {
        eventLoop.preconditionInEventLoop()
        self.channel = channel
        state.connected(nowMilliseconds: Moment.uptimeMilliseconds())
        // why: given up meanwhile
        if !isConnecting, !isOpen { channel.close(promise: nil) }
    }

    var isConnecting: Bool { state.phase == .connecting || state.phase == .awaitingSettings }
    var isOpen: Bool { state.phase == .open }
    var openStreams: Int { inFlight.count }
    /// That the server allows at a time; 0 before it has said so.
    var maximumStreams: Int { session.peerMaxConcurrentStreams ?? 0 }
    /// Nothing but a provider token is missing.
    var isWaitingForToken: Bool { isOpen && !mayAuthenticate }
    var room: Room {
        guard mayAuthenticate else { return .none }
        return state.room(
            FlowLimits(
                openStreams: session.openStreams, maximumStreams: session.peerMaxConcurrentStreams,
                sendWindow: session.connectionSendWindow, streamWindow: session.peerInitialStreamWindow,
                unsentBytes: session.unsentBodyBytes))
    }

    /// On its way to take part: connecting, or without an answer yet. With token authentication that one
    /// answer may be long in coming, and only one push waits for it; so not for long then.
    func isRamping(now: Moment) -> Bool {
        guard isOpen, let openedAt else { return isConnecting }
        return !isProven && (tokens == nil || now.uptime - openedAt < Self.rampingMilliseconds)
    }

    /// Puts a push on the wire; it leaves with the next ``flush()``.
    func send(_ push: QueuedPush, path: UnsafeRawBufferPointer, body: HTTP2Body, now: Moment) throws {
        eventLoop.assertInEventLoop()
        token.used(now: tokenTime)
        let stream = try session.submit(
            connectionFields: fields, path: path, requestFields: push.job.fields, body: body, tag: inFlight.nextTag)
        inFlight.insert(InFlightPush(push: push, streamID: stream, sentAt: now.uptime))
        lastUsed = now.uptime
    }

    /// Once per turn: anything the server sent proves that it is there.
    func noteSignsOfLife(now: Moment) {
        eventLoop.preconditionInEventLoop()
        guard hasHeard else { return }
        hasHeard = false
        state.heard(nowMilliseconds: now.uptime)
    }

    private func ping() {
        try? session.ping(NIODeadline.now().uptimeNanoseconds)
        flush()
    }

    func flush() { handler?.setNeedsFlush() }

    /// A request of which a part has not left is taken back; ``APNSConnectionOwner/unprocessed(_:)`` tells of it.
    func cancel(_ isMeant: (PreparedJob) -> Bool) {
        eventLoop.preconditionInEventLoop()
        for push in inFlight.pushes where isMeant(push.push.job) {
            push.push.job.isCancelled = true
            guard !session.isWritten(push.streamID) else { continue }
            try? session.reset(push.streamID, code: .cancel)
            flush()
        }
    }

    /// Takes no new pushes; closes once the last answer has come.
    func retire() {
        eventLoop.preconditionInEventLoop()
        guard state.retire() else { return }
        closeIfDrained()
        owner.changed(self)
    }

    /// Once a second: signs of life, and requests that have waited too long for their answer.
    func tick(now: Moment, requestTimeoutMilliseconds: Int64) {
        // Of what came in while this process stood still.
        noteSignsOfLife(now: now)
        fetchTokenAhead(now: now)
        switch state.tick(nowMilliseconds: now.uptime, openStreams: inFlight.count) {
        case .nothing: break
        case .ping:
            ping()
        case .giveUp:
            logger.warning("APNs gives no sign of life, closing the connection")
            channel?.close(promise: nil)
            return channelClosed(error: APNSConnectionError.noSignOfLife)
        }
        let overdue = inFlight.giveUp(sentBefore: now.uptime - requestTimeoutMilliseconds)
        guard !overdue.isEmpty else { return }
        logger.warning("APNs did not answer in time", metadata: ["requests": "\(overdue.count)"])
        for stream in overdue { try? session.reset(stream, code: .cancel) }
        flush()
        retire()
    }

    /// Once per turn in which there is something to send: takes the provider token that requests carry.
    func renewToken() {
        guard let tokens else { return }
        tokenTime = tokens.now
        if token.mayChange(now: tokenTime), case .token(let current) = tokens.current(now: tokenTime),
            token.take(current)
        {
            do {
                fields = try Self.fields(authority: authority, token: current.token)
            } catch {
                logger.error("The provider token makes no header field", metadata: ["error": "\(error)"])
                retire()
            }
        }
        mayAuthenticate = token.isUsable(now: tokenTime)
    }

    /// Where there is traffic the next token is fetched as soon as it is due, so that an outage of the store does
    /// not find us with an old one only.
    private func fetchTokenAhead(now: Moment) {
        guard let tokens, now.uptime - lastUsed < 60_000 else { return }
        _ = tokens.current(now: tokens.now)
    }

    /// APNs called the provider token of this connection expired.
    func tokenExpired() {
        if let held = token.held { tokens?.refused(held.token) }
    }

    private static func fields(authority: String, token: Secret?) throws(HTTP2Error) -> HTTP2Fields {
        var fields = [
            HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", authority),
        ]
        if let token {
            let text = token.withBytes { String(decoding: $0, as: UTF8.self) }
            fields.append(HTTP2Field("authorization", "bearer " + text, neverIndexed: true))
        }
        return try HTTP2Fields(fields)
    }

    private func closeIfDrained() {
        guard state.phase == .draining, inFlight.isEmpty else { return }
        try? session.goAway()
        handler?.close()
    }
}

extension APNSConnection: HTTP2ClientDelegate {
    func responseStarted(tag: Int, status: Int) {
        inFlight.update(tag) { $0.status = status }
    }

    func responseField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        // A broadcast's answer has the one or the other, by Apple's pages.
        if name.is("apns-id") || name.is("apns-request-id") {
            inFlight.update(tag) { $0.providerID = ProviderID(ascii: value.assumingMemoryBound(to: UInt8.self)) }
        } else if name.is("apns-unique-id") {
            inFlight.update(tag) { $0.withExtras { $0.uniqueID = String(decoding: value, as: UTF8.self) } }
        } else if name.is("retry-after"), let seconds = Int32(String(decoding: value, as: UTF8.self)), seconds > 0 {
            inFlight.update(tag) { $0.withExtras { $0.retryAfterSeconds = seconds } }
        }
    }

    func responseData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        var endless: Int32?
        inFlight.update(tag) { push in
            if !push.append(bytes) { endless = push.streamID }
        }
        guard let endless else { return }
        // The status has come and says all there is to know; the rest of such a body may never end.
        logger.warning("An answer of APNs is too long to be one", metadata: ["stream": "\(endless)"])
        try? session.reset(endless, code: .cancel)
        responseEnded(tag: tag)
    }

    func responseEnded(tag: Int) {
        // Answered here and not when the stream closes, which may come later or never.
        guard let push = inFlight.remove(tag) else { return }
        state.answered()
        hasHeard = true
        owner.answered(push, on: self)
        if state.phase == .draining { closeIfDrained() }
    }

    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
        guard let push = inFlight.remove(tag, stream: streamID) else { return }
        if code == .refusedStream {
            owner.unprocessed(push.push)
        } else {
            endedWithoutAnswer(push, reason: push.isGivenUp ? "RequestTimeout" : "StreamReset")
        }
        closeIfDrained()
    }

    /// A request above GOAWAY's last stream was not processed (RFC 9113, section 6.8). Nor was one whose end
    /// never left: with a part of the payload missing there is nothing that APNs could have accepted.
    private func endedWithoutAnswer(_ push: InFlightPush, reason: String) {
        if push.streamID > highestProcessed || !session.isWritten(push.streamID) {
            owner.unprocessed(push.push)
        } else {
            owner.lost(push.push, reason: reason)
        }
    }

    func peerSettingsChanged() {
        hasHeard = true
        let now = Moment.uptimeMilliseconds()
        if state.settingsArrived(nowMilliseconds: now) {
            openedAt = now
            ping()
        }
        owner.changed(self)
    }

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        hasHeard = true
        highestProcessed = lastStreamID
        let reason = APNSErrorBody(Array(debugData)).reason
        logger.notice(
            "APNs sent GOAWAY",
            metadata: ["code": "\(code)", "reason": "\(reason ?? "-")", "open_streams": "\(inFlight.count)"])
        owner.goAway(self, reason: reason)
        retire()
    }

    func pingAcknowledged(_ payload: UInt64) {
        hasHeard = true
        let nanoseconds = Double(NIODeadline.now().uptimeNanoseconds) - Double(payload)
        roundTrip.measured(milliseconds: nanoseconds / 1_000_000)
        owner.changed(self)
    }
}

extension APNSConnection: HTTP2ChannelObserver {
    func channelClosed(error: (any Error)?) {
        eventLoop.preconditionInEventLoop()
        guard state.phase != .closed else { return }
        let wasConnecting = isConnecting
        state.close()
        // What the socket may still bring is nobody's business; and this unties a handler that never came to
        // be part of a channel.
        session.detachDelegate()
        handler?.observer = nil
        handler = nil
        for push in inFlight.removeAll() {
            endedWithoutAnswer(push, reason: "ConnectionLost")
        }
        owner.closed(self, error: error, whileConnecting: wasConnecting)
    }
}

extension UnsafeRawBufferPointer {
    /// Compares with a field name; called for every field of every answer.
    fileprivate func `is`(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, name.utf8Start, count) == 0
    }
}

/// Why we closed a connection ourselves.
enum APNSConnectionError: Error, CustomStringConvertible {
    case noSignOfLife

    var description: String { "no sign of life from APNs" }
}
