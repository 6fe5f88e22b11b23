import HTTP2Channel
import HTTP2Session
import NIOCore
import NIOTLS

/// Waits for the TLS handshake and puts the HTTP/2 handler in its own place: that one belongs to one channel
/// only, so it waits until one of the addresses has let us in.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let successor: HTTP2ChannelHandler<HTTP2ClientSession>
    private var promise: EventLoopPromise<any Channel>?

    init(successor: HTTP2ChannelHandler<HTTP2ClientSession>, promise: EventLoopPromise<any Channel>) {
        self.successor = successor
        self.promise = promise
    }

    /// The address did not let us in; what comes from it later changes nothing.
    func fail(_ error: any Error) {
        promise.take()?.fail(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.handshakeCompleted) = event as? TLSUserEvent, let promise = promise.take() {
            do {
                try context.pipeline.syncOperations.addHandler(successor, position: .after(self))
                promise.succeed(context.channel)
                context.pipeline.syncOperations.removeHandler(self, promise: nil)
            } catch {
                promise.fail(error)
            }
        }
        context.fireUserInboundEventTriggered(event)
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
