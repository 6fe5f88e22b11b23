import NIOCore
import NIOTLS

/// A handler that waits until the connection is ready, including TLS, and then inserts the HTTP handlers in its own
/// place. HTTP handlers can belong to only one channel, so they are created after one of the addresses has accepted the
/// connection.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// A function that creates the HTTP handlers. Its argument is the protocol that TLS has negotiated, or `nil` if TLS
    /// has negotiated none.
    typealias Successors = (_ applicationProtocol: String?) throws -> [any ChannelHandler]

    private let successors: Successors
    private var promise: EventLoopPromise<any Channel>?

    init(promise: EventLoopPromise<any Channel>, successors: @escaping Successors) {
        self.successors = successors
        self.promise = promise
    }

    /// Fails the promise, because the address could not be used. Later events of this channel have no effect.
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

    /// Inserts the HTTP handlers, because the connection is ready.
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
