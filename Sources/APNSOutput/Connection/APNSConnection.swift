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
    /// Has room, or must be replaced.
    func changed(_ connection: APNSConnection)
    func closed(_ connection: APNSConnection, error: (any Error)?, whileConnecting: Bool)
}

/// One HTTP/2 connection to APNs with what is on its wire.
// why: unchecked because it lives on one event loop; nothing of it is touched from elsewhere.
final class APNSConnection: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let session: HTTP2ClientSession
    private let authority: String
    private let tokens: ProviderTokenSource?
    private unowned let owner: any APNSConnectionOwner
    private let logger: Logger

    private var handler: HTTP2ChannelHandler<HTTP2ClientSession>?
    private var channel: (any Channel)?
    private var state: ConnectionState
    private var inFlight = InFlightTable()
    private var fields: HTTP2Fields
    /// When this connection takes the next provider token.
    private var tokenUseEnds: Timestamp?
    private var hasHeard = false
    private var highestProcessed = Int32.max
    /// Uptime in milliseconds.
    private(set) var lastUsed: Int64
    /// An answer has shown that it is of use; for the pool.
    var isProven = false

    /// - Throws: when no provider token can be signed.
    init(
        eventLoop: any EventLoop, authority: String, tokens: ProviderTokenSource?, connectTimeoutSeconds: Int,
        owner: any APNSConnectionOwner, logger: Logger, now: Moment
    ) throws {
        self.eventLoop = eventLoop
        self.authority = authority
        self.tokens = tokens
        self.owner = owner
        self.logger = logger
        state = ConnectionState(
            usesProviderToken: tokens != nil, connectTimeoutMilliseconds: Int64(connectTimeoutSeconds) * 1000,
            nowMilliseconds: now.uptime)
        lastUsed = now.uptime
        fields = try Self.fields(authority: authority, token: try tokens?.token(at: now.wall))
        session = try HTTP2ClientSession(settings: HTTP2Settings(maxHeaderListSize: 16_384))
        session.delegate = self
    }

    /// Starts to connect; ``APNSConnectionOwner/changed(_:)`` or ``APNSConnectionOwner/closed(_:error:)``
    /// tells how that went.
    func connect(with connector: APNSConnector) {
        let handler = HTTP2ChannelHandler(session: session, observer: self)
        self.handler = handler
        connector.connect(handler, on: eventLoop).whenComplete { result in
            switch result {
            case .success(let channel):
                self.channel = channel
                if self.state.phase != .connecting { channel.close(promise: nil) }  // why: given up meanwhile
            case .failure(let error): self.channelClosed(error: error)
            }
        }
    }

    var isConnecting: Bool { state.phase == .connecting }
    var isOpen: Bool { state.phase == .open }
    var openStreams: Int { inFlight.count }
    var capacity: Int {
        state.capacity(openStreams: inFlight.count, peerMaximum: session.peerMaxConcurrentStreams)
    }

    /// Puts a push on the wire; it leaves with the next ``flush()``.
    func send(_ push: QueuedPush, path: UnsafeRawBufferPointer, body: HTTP2Body, now: Moment) throws {
        try renewToken(now: now.wall)
        let stream = try session.submit(
            connectionFields: fields, path: path, requestFields: push.job.fields, body: body, tag: inFlight.nextTag)
        inFlight.insert(InFlightPush(push: push, streamID: stream, sentAt: now.uptime))
        lastUsed = now.uptime
    }

    /// Once per turn: anything the server sent proves that it is there.
    func noteSignsOfLife(now: Moment) {
        guard hasHeard else { return }
        hasHeard = false
        state.heard(nowMilliseconds: now.uptime)
    }

    func flush() { handler?.setNeedsFlush() }

    /// Takes no new pushes; closes once the last answer has come.
    func retire() {
        guard state.retire() else { return }
        closeIfDrained()
        owner.changed(self)
    }

    /// Once a second: signs of life, and requests that have waited too long for their answer.
    func tick(now: Moment, requestTimeoutMilliseconds: Int64) {
        switch state.tick(nowMilliseconds: now.uptime, openStreams: inFlight.count) {
        case .nothing: break
        case .ping:
            try? session.ping(UInt64(bitPattern: now.uptime))
            flush()
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

    /// One token is kept for as long as the schedule says, because APNs counts changes per connection.
    private func renewToken(now: Timestamp) throws {
        guard let tokens else { return }
        if let tokenUseEnds, now < tokenUseEnds { return }
        fields = try Self.fields(authority: authority, token: try tokens.token(at: now))
        tokenUseEnds = ProviderTokenSchedule.endOfUse(taken: now)
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
        if name.is("apns-id") {
            inFlight.update(tag) { $0.providerID = ProviderID(ascii: value.assumingMemoryBound(to: UInt8.self)) }
        } else if name.is("apns-unique-id") {
            inFlight.update(tag) { $0.withExtras { $0.uniqueID = String(decoding: value, as: UTF8.self) } }
        }
    }

    func responseData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        inFlight.update(tag) { push in
            // A refusal is a short JSON object; what is longer than this is not one.
            guard push.body.count + bytes.count <= 4096 else { return }
            push.withExtras { $0.body.append(contentsOf: bytes) }
        }
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
        guard let push = inFlight.remove(tag) else { return }
        if code == .refusedStream || streamID > highestProcessed {
            owner.unprocessed(push.push)
        } else {
            owner.lost(push.push, reason: push.isGivenUp ? "RequestTimeout" : "StreamReset")
        }
        closeIfDrained()
    }

    func peerSettingsChanged() {
        hasHeard = true
        state.settingsArrived()
        owner.changed(self)
    }

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        highestProcessed = lastStreamID
        let reason = APNSErrorBody(Array(debugData)).reason
        logger.notice(
            "APNs sent GOAWAY",
            metadata: ["code": "\(code)", "reason": "\(reason ?? "-")", "open_streams": "\(inFlight.count)"])
        retire()
    }

    func pingAcknowledged(_ payload: UInt64) {
        hasHeard = true
        owner.changed(self)
    }
}

extension APNSConnection: HTTP2ChannelObserver {
    func channelClosed(error: (any Error)?) {
        guard state.phase != .closed else { return }
        let wasConnecting = isConnecting
        state.close()
        // What the socket may still bring is nobody's business; and this unties a handler that never came to
        // be part of a channel.
        session.detachDelegate()
        handler?.observer = nil
        handler = nil
        for push in inFlight.removeAll() {
            if push.streamID > highestProcessed {
                owner.unprocessed(push.push)
            } else {
                owner.lost(push.push, reason: "ConnectionLost")
            }
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
