internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Waits for the end of the TLS handshake, which tells who the client is, then makes way for HTTP/2.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let loop: SimulatorLoop
    private let managesChannels: Bool
    private var isDone = false

    init(loop: SimulatorLoop, managesChannels: Bool) {
        self.loop = loop
        self.managesChannels = managesChannels
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard !isDone, case .handshakeCompleted(let negotiated) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        isDone = true
        if loop.configuration.requiresALPN, negotiated != "h2" {
            loop.handshakeFailed()
            context.close(promise: nil)
            return
        }
        do {
            // A client that offers no protocol at all knows that APNs speaks HTTP/2: that is let pass.
            let tls = try context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
            let identity = try tls.peerCertificate.map { try ClientIdentity(derEncodedCertificate: $0.toDERBytes()) }
            try SimulatorConnection(
                loop: loop, channel: context.channel, identity: identity, managesChannels: managesChannels
            ).start()
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            loop.handshakeFailed()
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isDone {
            isDone = true
            loop.handshakeFailed()
        }
        context.close(promise: nil)
    }
}
