import NIOCore

/// A handler in front of the HTTP decoder. It drops all bytes after a client's first request, because decoding them
/// could occupy most of a core.
final class RequestGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// Whether the first request is complete, too long or invalid.
    var isShut = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isShut { context.fireChannelRead(data) }
    }
}
