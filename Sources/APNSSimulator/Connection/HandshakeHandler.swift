internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Waits for the end of the TLS handshake, which tells who the client is, then makes way for HTTP/2.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let loop: SimulatorLoop
    private let managesChannels: Bool
    private var isDone = false
    private var deadline: Scheduled<Void>?

    init(loop: SimulatorLoop, managesChannels: Bool) {
        self.loop = loop
        self.managesChannels = managesChannels
    }

    func handlerAdded(context: ChannelHandlerContext) {
        waitForTheEnd(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
    }

    private func waitForTheEnd(_ context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(loop.configuration.timeout)) {
            // Nothing can come in while nothing is read.
            guard self.loop.faults.silence != .all else { return self.waitForTheEnd(context) }
            self.fail(context, "it takes too long")
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard !isDone, case .handshakeCompleted(let negotiated) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        if loop.configuration.requiresALPN, negotiated != "h2" {
            return fail(context, "the client does not offer h2 by ALPN")
        }
        do {
            // A client that offers no protocol at all knows that APNs speaks HTTP/2: that is let pass.
            let tls = try context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
            let identity = try tls.peerCertificate.map { try ClientIdentity(derEncodedCertificate: $0.toDERBytes()) }
            isDone = true
            try SimulatorConnection(
                loop: loop, channel: context.channel, identity: identity, managesChannels: managesChannels
            ).start()
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
