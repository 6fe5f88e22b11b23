import HTTP2Channel
import HTTP2Session
import NIOCore
import NIOEmbedded

/// A client session in an embedded channel, and the server session at the other end.
final class ChannelPeer {
    let loop = EmbeddedEventLoop()
    let channel: EmbeddedChannel
    let session: HTTP2ClientSession
    let handler: HTTP2ChannelHandler<HTTP2ClientSession>
    let server: HTTP2ServerSession
    let client = ClientEvents()
    private let outbound = OutboundCounter()
    private let answers = ServerAnswers()
    private(set) var sawGoAway = false

    init() throws {
        session = try HTTP2ClientSession(delegate: client)
        handler = HTTP2ChannelHandler(session: session, observer: client)
        server = try HTTP2ServerSession(delegate: answers)
        answers.session = server
        channel = EmbeddedChannel(handlers: [outbound, handler], loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    var flushes: Int { outbound.flushes }

    /// The output that ``exchange()`` has not yet moved, with one entry for each write.
    var written: [[UInt8]] { outbound.written }

    func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    func post(_ tag: Int) throws {
        let fields = try HTTP2Fields([
            HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", "x"),
        ])
        try Array("/".utf8).withUnsafeBytes {
            _ = try session.submit(
                connectionFields: fields, path: $0, requestFields: HTTP2Fields([]), body: HTTP2Body([1]), tag: tag)
        }
    }

    /// Feeds these bytes to the channel as if they were read from the socket.
    func read(_ bytes: [UInt8]) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    /// Moves bytes in both directions until neither side has output.
    func exchange() throws {
        while channel.isActive, !outbound.written.isEmpty || server.wantsWrite {
            let bytes = outbound.written.flatMap { $0 }
            outbound.written = []
            try bytes.withUnsafeBytes { try server.receive($0) }
            var answer: [UInt8] = []
            try server.collectOutput { answer.append(contentsOf: $0) }
            if !answer.isEmpty {
                try read(answer)
            }
            loop.run()
            sawGoAway = sawGoAway || outbound.written.contains { $0.count > 3 && $0.containsGoAway }
        }
    }
}

extension [UInt8] {
    /// Whether these bytes, which are complete frames (RFC 9113, section 4.1), include a GOAWAY.
    fileprivate var containsGoAway: Bool {
        var rest = self[...]
        while rest.count >= 9 {
            let header = Array(rest.prefix(9))
            if header[3] == 7 { return true }
            rest = rest.dropFirst(9 + Int(header[0]) << 16 + Int(header[1]) << 8 + Int(header[2]))
        }
        return false
    }
}

/// A handler in the place of the socket. It records writes and flushes.
private final class OutboundCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    var flushes = 0
    var written: [[UInt8]] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written.append(Array(unwrapOutboundIn(data).readableBytesView))
    }

    func flush(context: ChannelHandlerContext) {
        flushes += 1
    }
}

final class ClientEvents: HTTP2ClientDelegate, HTTP2ChannelObserver {
    var ended = 0
    var closings: [(any Error)?] = []
    var onEnd: () -> Void = {}

    func responseStarted(tag: Int, status: Int) {}
    func responseField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {}
    func responseData(tag: Int, _ bytes: UnsafeRawBufferPointer) {}
    func responseEnded(tag: Int) {
        ended += 1
        onEnd()
    }
    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {}
    func peerSettingsChanged() {}
    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {}
    func pingAcknowledged(_ payload: UInt64) {}
    func channelClosed(error: (any Error)?) {
        closings.append(error)
    }
}

/// A delegate that answers each request with 200.
private final class ServerAnswers: HTTP2ServerDelegate {
    weak var session: HTTP2ServerSession?

    func requestStarted(streamID: Int32) -> Int { 0 }
    func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {}
    func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer) {}
    func requestEnded(tag: Int, streamID: Int32) {
        try? session?.respond(to: streamID, fields: HTTP2Fields([HTTP2Field(":status", "200")]))
    }
    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {}
    func settingsAcknowledged() {}
    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {}
    func pingAcknowledged(_ payload: UInt64) {}
}
