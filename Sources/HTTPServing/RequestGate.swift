import NIOCore

/// A handler in front of the HTTP decoder. It drops all bytes after a client's first request, because decoding them could
/// occupy most of a core. It also limits the size of the request, because the decoder limits neither the number of
/// fields nor of trailers.
final class RequestGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// An error that is fired if the request is too long.
    struct TooLong: Error {}

    /// Whether the first request is complete.
    var isShut = false
    private var bytesLeft: Int

    /// Creates a gate.
    ///
    /// - Parameter bytes: the maximum size of a request, in bytes.
    init(bytes: Int) {
        bytesLeft = bytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isShut else { return }
        bytesLeft -= unwrapInboundIn(data).readableBytes
        guard bytesLeft >= 0 else {
            isShut = true
            return context.fireErrorCaught(TooLong())
        }
        context.fireChannelRead(data)
    }
}
