import HTTP2Channel
import HTTP2Session
import NIOCore
import NIOHTTP1

/// A handler for one HTTP/1.1 connection (RFC 9112). It sends a request only after the previous request has been
/// answered.
///
/// The handler retains its delegate until the channel is closed.
final class HTTP1ClientHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private var delegate: (any HTTP1ClientDelegate)?
    private var context: ChannelHandlerContext?
    private var exchange = HTTP1Exchange()
    private var failure: (any Error)?

    init(delegate: any HTTP1ClientDelegate) {
        self.delegate = delegate
    }

    /// Returns the HTTP encoder and decoder, and this handler.
    ///
    /// - Parameter maximumFieldBytes: The maximum size of all header fields of an answer together, in bytes.
    func handlers(maximumFieldBytes: Int) -> [any ChannelHandler] {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderListSize = maximumFieldBytes
        limits.maxHeaderFieldSize = maximumFieldBytes
        return [
            HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder(limitConfiguration: limits)), self,
        ]
    }

    // MARK: Calls by the owner

    /// The number of requests in flight, 0 or 1.
    var openRequests: Int { exchange.isIdle ? 0 : 1 }
    /// The time for which the connection may be kept without a request, in milliseconds.
    var idleMilliseconds: Int64 { exchange.idleMilliseconds }

    /// Queues a request, which is sent by the next ``flush()``.
    ///
    /// - Returns: The number of the request.
    func submit(_ head: HTTPRequestHead, body: HTTP2Body, tag: Int) throws(HTTP2Error) -> Int32 {
        guard let context, exchange.isIdle, exchange.takesRequests else {
            throw HTTP2Error(.closing, "the connection accepts no new requests")
        }
        let number = exchange.begin(tag: tag)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if body.count > 0 {
            let bytes = body.withUnsafeBytes { ByteBuffer(bytes: $0) }
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { self.exchange.written(number) }
        context.write(wrapOutboundOut(.end(nil)), promise: written)
        return number
    }

    func flush() {
        guard let context, !exchange.isIdle, context.channel.isActive else { return }
        exchange.flushed()
        context.flush()
    }

    /// Returns whether a byte of the request may have been sent.
    func hasLeft(_ number: Int32) -> Bool { number < exchange.number || exchange.hasLeft }

    /// Gives up on the request in flight, and closes the connection, which cannot continue without the answer.
    func reset() {
        guard let context, let tag = exchange.tag else { return }
        exchange.end()
        let number = exchange.number
        // The report is deferred, so that the owner can first finish the work that called this method.
        context.eventLoop.assumeIsolated().execute {
            self.delegate?.streamClosed(tag: tag, streamID: number, code: .cancel)
        }
        context.close(promise: nil)
    }

    func close() {
        exchange.end()
        context?.close(promise: nil)
    }

    func detachDelegate() { delegate = nil }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let delegate, let tag = exchange.tag else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            exchange.answerBegan(
                status: Int(head.status.code), keepsAlive: head.isKeepAlive, idleSeconds: head.headers.idleSeconds)
            delegate.responseStarted(tag: tag, status: Int(head.status.code))
            for (name, value) in head.headers { forward(name.lowercased(), value, of: tag, to: delegate) }
        case .body(let bytes):
            bytes.withUnsafeReadableBytes { delegate.responseData(tag: tag, $0) }
        case .end:
            let number = exchange.number
            exchange.answerEnded()
            delegate.responseEnded(tag: tag)
            delegate.streamClosed(tag: tag, streamID: number, code: .noError)
            if !exchange.takesRequests { delegate.answeredLast() }
        }
    }

    private func forward(_ name: String, _ value: String, of tag: Int, to delegate: any HTTP1ClientDelegate) {
        var (name, value) = (name, value)
        name.withUTF8 { name in
            value.withUTF8 { value in
                delegate.responseField(
                    tag: tag, name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Between requests, errors are ignored. A server may then close the connection at any time, even without a TLS
        // close_notify.
        if !exchange.isIdle { failure = failure ?? error }
        exchange.end()
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        exchange.end()
        let reported = delegate.take()
        reported?.channelClosed(error: failure)
        context.fireChannelInactive()
    }
}

extension HTTPHeaders {
    /// The time for which the server keeps an idle connection, in seconds, or `nil` if the server does not announce it.
    /// For example, the time is 5 for `Keep-Alive: timeout=5, max=100`.
    fileprivate var idleSeconds: Int64? {
        let parameters = self[canonicalForm: "keep-alive"].map { $0.split(separator: "=", maxSplits: 1) }
        return parameters.first { $0.count == 2 && $0[0].lowercased() == "timeout" }.flatMap { Int64($0[1]) }
    }
}
