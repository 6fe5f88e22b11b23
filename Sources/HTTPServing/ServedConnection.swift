import NIOCore
import NIOHTTP1

/// A handler that answers one request and then closes the connection. Because of its time limits, slow clients can
/// neither occupy connections for a long time nor delay a shutdown. A client that pipelines requests gets one answer.
final class ServedConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    typealias Answer = @Sendable (HTTPRequest) async -> HTTPResponse

    private enum State {
        case waitsForHead
        case receivesBody(HTTPRequestHead, ByteBuffer)
        case waitsForAnswer(Task<Void, Never>)
        /// The response is written. The handler waits until the client closes.
        case answered
        case closed
    }

    /// The maximum time for a client to close the connection after the response. Closing it earlier could destroy a
    /// response that the client has not read (RFC 9112, section 9.6).
    private static let patience = TimeAmount.seconds(1)

    private let connections: OpenConnections
    private let limits: ServingLimits
    private let answer: Answer
    private let gate: RequestGate
    private var state = State.waitsForHead
    private var deadlines: [Scheduled<Void>] = []

    init(_ connections: OpenConnections, _ limits: ServingLimits, _ answer: @escaping Answer) {
        (self.connections, self.limits, self.answer) = (connections, limits, answer)
        gate = RequestGate(bytes: limits.requestBytes)
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
        close(context, in: TimeAmount(limits.request)) { state in
            switch state {
            case .waitsForHead, .receivesBody: true
            case .waitsForAnswer, .answered, .closed: false
            }
        }
        if let limit = limits.connection { close(context, in: TimeAmount(limit)) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .waitsForAnswer(let task) = state { task.cancel() }
        state = .closed
        for deadline in deadlines { deadline.cancel() }
        connections.closed(context.channel)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.waitsForHead, .head(let head)):
            connections.gotRequest(context.channel)
            if head.headers[canonicalForm: "expect"].contains("100-continue"), limits.body > 0 {
                let interim = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(interim)), promise: nil)
            }
            state = .receivesBody(head, ByteBuffer())
        case (.receivesBody(let head, var body), .body(let part)):
            guard body.readableBytes + part.readableBytes <= limits.body else {
                return received(head, nil, context)
            }
            body.writeImmutableBuffer(part)
            state = .receivesBody(head, body)
        case (.receivesBody(let head, let body), .end): received(head, body, context)
        default: break
        }
    }

    /// Starts the answer to a request. The body is `nil` if it is too long.
    private func received(_ head: HTTPRequestHead, _ body: ByteBuffer?, _ context: ChannelHandlerContext) {
        gate.isShut = true
        guard let request = HTTPRequest(head, body: body) else {
            return write(HTTPResponse(.badRequest, line: "the request's target or Host is not valid"), context)
        }
        let isHead = head.method == .HEAD
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let (eventLoop, answer) = (context.eventLoop, answer)
        state = .waitsForAnswer(
            Task {
                let response = await answer(request)
                eventLoop.execute {
                    let (connection, context) = here.value
                    if case .waitsForAnswer = connection.state { connection.write(response, isHead: isHead, context) }
                }
            })
    }

    private func write(_ response: HTTPResponse, isHead: Bool = false, _ context: ChannelHandlerContext) {
        state = .answered
        for part in response.parts(isHead: isHead) { context.write(wrapOutboundOut(part), promise: nil) }
        context.flush()
        context.close(mode: .output, promise: nil)
        close(context, in: Self.patience)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        // A client may close its side after its request and still wait for the answer.
        if case .waitsForAnswer = state { return }
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .waitsForHead, .receivesBody:
            gate.isShut = true
            switch error {
            case is HTTPParserError: write(HTTPResponse(.badRequest, line: "the request is not valid"), context)
            case is RequestGate.TooLong:
                write(HTTPResponse(.requestHeaderFieldsTooLarge, line: "the request is too long"), context)
            default: context.close(promise: nil)
            }
        case .waitsForAnswer, .answered, .closed:
            // Anything after the first request is ignored.
            if !(error is HTTPParserError) { context.close(promise: nil) }
        }
    }

    /// Closes the connection after a time if the condition then holds.
    private func close(
        _ context: ChannelHandlerContext, in time: TimeAmount,
        if isDue: @escaping @Sendable (State) -> Bool = { _ in true }
    ) {
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadlines.append(
            context.eventLoop.scheduleTask(in: time) {
                let (connection, context) = here.value
                if isDue(connection.state) { context.close(promise: nil) }
            })
    }
}
