import NIOCore
import NIOHTTP1

/// A handler that answers one request and then closes the connection. Because of its time limits, slow clients can
/// neither occupy connections for a long time nor delay a shutdown. A client that pipelines requests gets one answer.
final class ServedConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case waitsForHead
        case receivesBody(HTTPRequestHead)
        case waitsForAnswer(Task<Void, Never>)
        case sends
        /// The response is sent. The handler waits until the client closes the connection.
        case lingers
        case closed
    }

    /// The maximum time for a client to close the connection after the response. Closing it earlier could destroy a
    /// response that the client has not read (RFC 9112, section 9.6).
    private static let patience = TimeAmount.seconds(1)

    private let connections: OpenConnections
    private let service: HTTPService
    private let gate = RequestGate()
    private var state = State.waitsForHead
    private var body = ByteBuffer()
    /// Whether the client has closed its side.
    private var isInputClosed = false
    private var deadline: Scheduled<Void>?

    init(_ connections: OpenConnections, _ service: HTTPService) {
        (self.connections, self.service) = (connections, service)
    }

    /// Adds the handlers of a connection to its channel.
    func join(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([
            gate, HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
        ])
        try pipeline.addHandler(self)
    }

    func channelActive(context: ChannelHandlerContext) {
        connections.opened(context.channel)
        close(context, in: TimeAmount(service.limits.request))
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .waitsForAnswer(let task) = state { task.cancel() }
        state = .closed
        deadline?.cancel()
        connections.closed(context.channel)
        context.fireChannelInactive()
    }

    // MARK: Request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.waitsForHead, .head(let head)):
            guard head.announcedBytes <= service.limits.body else { return received(head, nil, context) }
            connections.reached(.receivesBody, context.channel)
            state = .receivesBody(head)
            if head.expectsContinue {
                let interim = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(interim)), promise: nil)
            }
        case (.receivesBody(let head), .body(let part)):
            guard body.readableBytes + part.readableBytes <= service.limits.body else {
                return received(head, nil, context)
            }
            body.writeImmutableBuffer(part)
        case (.receivesBody(let head), .end): received(head, body, context)
        default: break
        }
    }

    /// Starts the answer to a request. The body is `nil` if it is too long.
    private func received(_ head: HTTPRequestHead, _ body: ByteBuffer?, _ context: ChannelHandlerContext) {
        gate.isShut = true
        let isHead = head.method == .HEAD
        guard let request = HTTPRequest(head, body: body) else {
            return write(HTTPResponse(.badRequest, line: "the request's target or Host is not valid"), isHead, context)
        }
        connections.reached(.waitsForAnswer, context.channel)
        deadline?.cancel()
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let (eventLoop, service) = (context.eventLoop, service)
        state = .waitsForAnswer(
            Task {
                let response = await service.answer(request)
                eventLoop.execute {
                    let (connection, context) = here.value
                    if case .waitsForAnswer = connection.state { connection.write(response, isHead, context) }
                }
            })
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        isInputClosed = true
        switch state {
        // A client may close its side after its request and still wait for the answer.
        case .waitsForAnswer, .sends: break
        case .waitsForHead, .receivesBody, .lingers, .closed: context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (state, error) {
        case (.waitsForHead, is HTTPParserError), (.receivesBody, is HTTPParserError):
            gate.isShut = true
            write(HTTPResponse(.badRequest, line: "the request is not valid"), false, context)
        // Anything after the first request is ignored.
        case (_, is HTTPParserError): break
        default: context.close(promise: nil)
        }
    }

    // MARK: Response

    private func write(_ response: HTTPResponse, _ isHead: Bool, _ context: ChannelHandlerContext) {
        state = .sends
        connections.reached(.sends, context.channel)
        close(context, in: TimeAmount(service.limits.sending))
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenSuccess {
            let (connection, context) = here.value
            connection.sent(context)
        }
        let parts = response.adding(service.fields).parts(isHead: isHead)
        for part in parts.dropLast() { context.write(wrapOutboundOut(part), promise: nil) }
        for part in parts.suffix(1) { context.writeAndFlush(wrapOutboundOut(part), promise: sent) }
    }

    private func sent(_ context: ChannelHandlerContext) {
        guard case .sends = state else { return }
        guard !isInputClosed else { return context.close(promise: nil) }
        state = .lingers
        connections.reached(.answered, context.channel)
        context.close(mode: .output, promise: nil)
        close(context, in: Self.patience)
    }

    /// Closes the connection after a time, unless another deadline replaces this one.
    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}

extension HTTPRequestHead {
    /// The size of the body according to `Content-Length`, in bytes. The result is 1 if the body's size is unknown, and 0
    /// if there is no body.
    fileprivate var announcedBytes: Int {
        if headers.contains(name: "transfer-encoding") { return 1 }
        return headers.first(name: "content-length").map { Int($0) ?? .max } ?? 0
    }

    /// Whether the client waits for an interim response before it sends the body (RFC 9110, section 10.1.1).
    fileprivate var expectsContinue: Bool {
        version != .http1_0 && announcedBytes > 0
            && headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }
}
