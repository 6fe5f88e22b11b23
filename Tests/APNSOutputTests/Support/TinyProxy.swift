import NIOCore
import NIOPosix
import Foundations

/// An HTTP proxy on loopback that supports only CONNECT. Every tunnel leads to `target`, regardless of the requested
/// host.
final class TinyProxy: Sendable {
    private let heads = Mutex<[String]>([])
    private let target: SocketAddress
    private let answer: String

    /// - Parameter answer: The status line without the version.
    init(to target: SocketAddress, answer: String = "200 Connection established") {
        self.target = target
        self.answer = answer
    }

    /// The request heads that clients have sent.
    var requests: [String] { heads.withLock { $0 } }

    func start() async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture {
                    try client.pipeline.syncOperations.addHandler(Head(self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private final class Head: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = ByteBuffer
        private let proxy: TinyProxy
        private var text = ""

        init(_ proxy: TinyProxy) { self.proxy = proxy }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            guard text.hasSuffix("\r\n\r\n") else { return }
            proxy.heads.withLock { $0.append(text) }
            let client = context.channel
            let head = ByteBuffer(string: "HTTP/1.1 \(proxy.answer)\r\nVia: 1.1 tiny\r\n\r\n")
            guard proxy.answer.hasPrefix("2") else { return client.writeAndFlush(head, promise: nil) }
            let loop = context.eventLoop
            let own = NIOLoopBound(self, eventLoop: loop)
            ClientBootstrap(group: loop)
                .channelInitializer { server in
                    server.eventLoop.makeCompletedFuture {
                        try server.pipeline.syncOperations.addHandler(Relay(to: client))
                    }
                }
                .connect(to: proxy.target).whenSuccess { server in
                    _ = try? client.pipeline.syncOperations.addHandler(Relay(to: server))
                    client.pipeline.syncOperations.removeHandler(own.value, promise: nil)
                    client.writeAndFlush(head, promise: nil)
                }
        }
    }

    private final class Relay: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let other: any Channel

        init(to other: any Channel) { self.other = other }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            other.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
    }
}
