import Foundations
import NIOCore
import NIOPosix

/// A client that sends text and collects what the server sends until it closes the connection.
final class TextClient: Sendable {
    private let channel: any Channel
    private let received: EventLoopFuture<String>

    private init(_ channel: any Channel, _ received: EventLoopFuture<String>) {
        (self.channel, self.received) = (channel, received)
    }

    /// - Parameter readsAtOnce: whether the client reads what arrives. If it is `false`, the client reads only after
    ///   ``read()``.
    static func connect(port: Int, readsAtOnce: Bool = true) async throws -> TextClient {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let received = loop.makePromise(of: String.self)
        let channel = try await ClientBootstrap(group: loop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: readsAtOnce)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(received))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return TextClient(channel, received.futureResult)
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    func read() async throws {
        try await channel.setOption(.autoRead, value: true).get()
    }

    /// Closes this side of the connection, unless the connection has ended.
    func closeOutput() async {
        try? await channel.close(mode: .output)
    }

    /// Closes the connection, unless it has ended.
    func close() async {
        try? await channel.close()
    }

    var isOpen: Bool { channel.isActive }

    /// All bytes up to the end of the connection.
    func text() async throws -> String { try await received.get() }

    /// Sends text over a connection of its own, and returns all that the server sends. The server may close the
    /// connection before it has read all of the text.
    static func exchange(_ text: String, port: Int) async throws -> String {
        let client = try await connect(port: port)
        try? await client.send(text)
        return try await client.text()
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: EventLoopPromise<String>
        private var bytes = ByteBuffer()

        init(_ received: EventLoopPromise<String>) {
            self.received = received
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes.writeImmutableBuffer(unwrapInboundIn(data))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { context.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            received.succeed(String(buffer: bytes))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
