internal import HTTP2Session
internal import NIOCore
internal import NIOHTTP1

/// Lets a client of HTTP/1.1 in: each of its requests becomes a stream of an HTTP/2 session within this process, so that
/// rules, faults and records know one kind of request only. Stands between NIO's codec and the handler of the server's
/// session, and is the client of that.
final class HTTP1Translator: ChannelDuplexHandler, HTTP2ClientDelegate {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTPServerResponsePart

    private let loop: SimulatorLoop
    private let session: HTTP2ClientSession
    private var context: ChannelHandlerContext?
    /// The one under way; NIO's pipelining keeps back those that follow.
    private var request: HTTP1Request?
    private var response = HTTP1Response()
    /// No request follows the one under way.
    private var isLast = false
    private var feedIsScheduled = false
    private var deadline: Scheduled<Void>?

    init(loop: SimulatorLoop) throws {
        self.loop = loop
        session = try HTTP2ClientSession()
    }

    func join(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withErrorHandling: false)
        try pipeline.addHandler(self)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        session.delegate = self
        startDeadline()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
    }

    private func leave() {
        context = nil
        deadline?.cancel()
        session.detachDelegate()
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = HTTP1Request(head)
            startDeadline()
            if head.headers[canonicalForm: "expect"].contains("100-continue") {
                context.writeAndFlush(
                    wrapOutboundOut(.head(HTTPResponseHead(version: head.version, status: .continue))), promise: nil)
            }
        case .body(let bytes):
            request?.body.append(contentsOf: bytes.readableBytesView)
            if request?.isTooLong ?? false { refuse(.payloadTooLarge, "a body that does not end") }
        case .end:
            deadline?.cancel()
            submit()
        }
    }

    private func submit() {
        guard let request else { return }
        do throws(HTTP2Error) {
            try request.submit(to: session)
            feedLater()
        } catch {
            error.kind == .closing ? close() : refuse(.badRequest, error.message)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        refuse(.badRequest, "\(error)")
    }

    /// What never becomes a stream.
    private func refuse(_ status: HTTPResponseStatus, _ problem: String) {
        loop.requestMalformed(problem)
        isLast = true
        response = HTTP1Response(status: status)
        answer()
        context?.flush()
    }

    // MARK: Time

    /// A request that has begun has to be whole in time, and so has the first.
    private func startDeadline() {
        deadline?.cancel()
        deadline = loop.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(loop.configuration.timeout)) { [self] in
            guard loop.faults.silence != .all else { return startDeadline() }
            loop.timedOut("a request over HTTP/1.1 that does not end")
            close()
        }
    }

    // MARK: Between the sessions

    /// Hands the server's session what ours has to send, in a turn of its own: never from inside a call of either.
    private func feedLater() {
        guard !feedIsScheduled, context != nil else { return }
        feedIsScheduled = true
        loop.eventLoop.assumeIsolated().execute { [self] in
            feedIsScheduled = false
            feed()
        }
    }

    private func feed() {
        guard let context, session.wantsWrite else { return }
        var bytes = context.channel.allocator.buffer(capacity: 1_024)
        do throws(HTTP2Error) {
            try session.collectOutput { bytes.writeBytes($0) }
        } catch {
            return close()
        }
        guard bytes.readableBytes > 0 else { return }
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        do throws(HTTP2Error) {
            try bytes.withUnsafeReadableBytes { pointer in
                Result { () throws(HTTP2Error) in try session.receive(pointer) }
            }.get()
            promise?.succeed()
            feedLater()
        } catch {
            promise?.fail(error)
            close()
        }
    }

    // MARK: Answers

    func responseStarted(tag: Int, status: Int) {
        response = HTTP1Response(status: HTTPResponseStatus(statusCode: status))
    }

    func responseField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        response.fields.add(name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
    }

    func responseData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        response.body.append(contentsOf: bytes)
    }

    func responseEnded(tag: Int) {
        answer()
    }

    /// HTTP/1.1 has no resets: what has no answer yet loses its connection.
    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
        guard request != nil else { return }
        guard code == .protocolError else { return close() }
        // Told and counted where it was found.
        isLast = true
        response = HTTP1Response(status: .badRequest)
        answer()
    }

    private func answer() {
        guard let context else { return }
        isLast = isLast || !(request?.isKeptAlive ?? false)
        for part in response.parts(closing: isLast) { context.write(wrapOutboundOut(part), promise: nil) }
        request = nil
        guard isLast else { return }
        loop.eventLoop.assumeIsolated().execute { self.close() }
    }

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        isLast = true
    }

    func peerSettingsChanged() {}
    func pingAcknowledged(_ payload: UInt64) {}

    private func close() {
        context?.close(promise: nil)
    }
}
