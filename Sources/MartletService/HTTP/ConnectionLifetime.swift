import NIOCore

/// Closes a connection that has no complete request head after one second, and any connection after five seconds. A
/// client that sends nothing, or reads no answer, therefore neither occupies a connection for long nor delays a stop.
final class ConnectionLifetime: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private static let headLimit: TimeAmount = .seconds(1)
    private static let limit: TimeAmount = .seconds(5)

    private let connections: OpenConnections
    private var hasRequest = false

    init(_ connections: OpenConnections) {
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let (channel, connections) = (context.channel, connections)
        connections.opened(channel)
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let head = channel.eventLoop.scheduleTask(in: Self.headLimit) {
            if !loopBound.value.hasRequest { channel.close(promise: nil) }
        }
        let end = channel.eventLoop.scheduleTask(in: Self.limit) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in
            head.cancel()
            end.cancel()
            connections.closed(channel)
        }
    }

    /// The parts of a request come when its head is complete.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !hasRequest {
            hasRequest = true
            connections.gotRequest(context.channel)
        }
        context.fireChannelRead(data)
    }
}
