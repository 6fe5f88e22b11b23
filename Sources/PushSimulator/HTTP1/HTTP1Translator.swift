internal import HTTP2Session
internal import NIOCore
internal import NIOHTTP1

/// A translator that serves HTTP/1.1 clients. It turns each request into a stream of an HTTP/2 session within this
/// process, so rules, faults and records handle only one kind of request. In the pipeline, it stands between NIO's
/// codec and the handler of the server's session. It is the client of the server's session.
final class HTTP1Translator: ChannelDuplexHandler, HTTP2ClientDelegate {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTPServerResponsePart

    private let loop: SimulatorLoop
    private let session: HTTP2ClientSession
    private var context: ChannelHandlerContext?
    /// The request in progress, or `nil`. NIO's pipelining handler holds back the requests after it.
    private var request: HTTP1Request?
    private var response = HTTP1Response()
    /// Whether the connection closes after the request in progress.
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
            if request?.isTooLong ?? false { refuse(.payloadTooLarge, "the body exceeds the limit") }
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

    /// Answers a request that cannot become a stream, and closes the connection.
    private func refuse(_ status: HTTPResponseStatus, _ problem: String) {
        loop.requestMalformed(problem)
        isLast = true
        response = HTTP1Response(status: status)
        answer()
        context?.flush()
    }

    // MARK: Timeouts

    /// Starts the time limit for receiving the rest of a request whose head has arrived or, on a new connection, for
    /// receiving the first head.
    private func startDeadline() {
        deadline?.cancel()
        deadline = loop.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(loop.configuration.timeout)) { [self] in
            guard loop.faults.silence != .all else { return startDeadline() }
            loop.timedOut("an HTTP/1.1 request is incomplete")
            close()
        }
    }

    // MARK: Exchange between the sessions

    /// Passes the client session's output to the server's session in another turn of the event loop. Neither session
    /// may be called during a call of the other.
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

    // MARK: Responses

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

    /// Handles a stream that closed before its request was answered. A malformed request is answered with 400. In all
    /// other cases the connection is closed, because HTTP/1.1 has no stream resets.
    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
        guard request != nil else { return }
        guard code == .protocolError else { return close() }
        // The server's session has already logged and counted this error.
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
