internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// A handler that waits for the end of the TLS handshake and then adds the HTTP handlers to the pipeline. The handshake
/// identifies the client.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let loop: SimulatorLoop
    private let port: Int
    private var isDone = false
    private var deadline: Scheduled<Void>?

    /// Creates the handler.
    ///
    /// - Parameter port: the index of the port, as in ``ConnectingClient/port``.
    init(loop: SimulatorLoop, port: Int) {
        self.loop = loop
        self.port = port
    }

    func handlerAdded(context: ChannelHandlerContext) {
        waitForTheEnd(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
    }

    private func waitForTheEnd(_ context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(loop.configuration.timeout)) {
            // The handshake can proceed only while the server reads from the connection.
            guard self.loop.faults.silence != .all else { return self.waitForTheEnd(context) }
            self.fail(context, "the time limit was exceeded")
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard !isDone, case .handshakeCompleted(let negotiated) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        let agreed = negotiated.flatMap(ApplicationProtocol.init(rawValue:))
        guard let spoken = agreed ?? loop.configuration.unagreedProtocol(port: port) else {
            return fail(context, "the client does not offer h2 by ALPN")
        }
        do {
            let tls = try context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
            let client = ConnectingClient(
                certificate: try tls.peerCertificate?.toDERBytes(), port: port, speaks: spoken)
            let rules = try loop.begin(client)
            isDone = true
            if spoken == .http1 { try HTTP1Translator(loop: loop).join(context.channel) }
            try RequestFlow(loop: loop, channel: context.channel, rules: rules).start()
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            isDone = false
            fail(context, "\(error)")
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(context, "\(error)")
    }

    private func fail(_ context: ChannelHandlerContext, _ problem: String) {
        if !isDone {
            isDone = true
            loop.handshakeFailed(problem)
        }
        context.close(promise: nil)
    }
}
