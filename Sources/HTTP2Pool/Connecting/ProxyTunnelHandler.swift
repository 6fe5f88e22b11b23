import Foundations
import NIOCore
import NIOSSL

/// A handler that requests a tunnel from a proxy, and starts TLS inside it if TLS is configured.
final class ProxyTunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The event that reports an open tunnel without TLS inside.
    struct Opened {}

    private let request: String
    private let tls: NIOSSLClientHandler?
    private var received = ByteBuffer()
    private var isDone = false

    /// Creates a handler that requests a tunnel to `endpoint`.
    ///
    /// - Parameter tls: The handler to insert behind this one once the tunnel is open, or `nil` for no TLS.
    init(to endpoint: Endpoint, through proxy: HTTPProxy, tls: NIOSSLClientHandler?) {
        var request = "CONNECT \(endpoint) HTTP/1.1\r\nHost: \(endpoint)\r\n"
        if let credentials = proxy.basicCredentials {
            request += "Proxy-Authorization: Basic \(credentials.base64)\r\n"
        }
        self.request = request + "\r\n"
        self.tls = tls
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
        guard !isDone else { return }
        switch ProxyAnswer(received.readableBytesView) {
        case .incomplete: break
        case .open(let length):
            received.moveReaderIndex(forwardBy: length)
            isDone = true
            begin(context: context)
        case .refused(let status): fail(ConnectError.proxyRefused(status: status), context: context)
        case .unintelligible: fail(ConnectError.proxyUnintelligible, context: context)
        }
    }

    private func begin(context: ChannelHandlerContext) {
        do {
            if let tls { try context.pipeline.syncOperations.addHandler(tls, position: .after(self)) }
        } catch {
            return fail(error, context: context)
        }
        if tls == nil { context.fireUserInboundEventTriggered(Opened()) }
        if received.readableBytes > 0 { context.fireChannelRead(NIOAny(received)) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isDone { fail(ConnectError.closed(doing: "requesting a tunnel from the proxy"), context: context) }
        context.fireChannelInactive()
    }

    private func fail(_ error: any Error, context: ChannelHandlerContext) {
        isDone = true
        context.fireErrorCaught(error)
    }
}
