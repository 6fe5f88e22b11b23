import NIOCore
import NIOTLS

/// Waits until the way is open, TLS and all, and puts what speaks HTTP in its own place: that belongs to one channel
/// only, so it waits until one of the addresses has let us in.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// Makes what speaks the protocol that TLS has agreed on.
    typealias Successors = (_ applicationProtocol: String?) throws -> [any ChannelHandler]

    private let successors: Successors
    private var promise: EventLoopPromise<any Channel>?

    init(promise: EventLoopPromise<any Channel>, successors: @escaping Successors) {
        self.successors = successors
        self.promise = promise
    }

    /// The address did not let us in; what comes from it later changes nothing.
    func fail(_ error: any Error) {
        promise.take()?.fail(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.handshakeCompleted(let negotiated)) = event as? TLSUserEvent {
            isOpen(context.channel, negotiated)
        } else if event is ProxyTunnelHandler.Opened {
            isOpen(context.channel, nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Nothing is in the way any more.
    func isOpen(_ channel: any Channel, _ negotiated: String?) {
        guard let promise = promise.take() else { return }
        let pipeline = channel.pipeline.syncOperations
        do {
            try pipeline.addHandlers(try successors(negotiated), position: .after(self))
            promise.succeed(channel)
            pipeline.removeHandler(self, promise: nil)
        } catch {
            promise.fail(error)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ConnectError.closed(doing: "TLS handshake"))
        context.fireChannelInactive()
    }
}
