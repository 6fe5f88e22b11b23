import Hummingbird
import NIOCore
import NIOHTTPTypes

/// A handler that allows one request per connection. It closes a connection without a complete request head after one
/// second, and any connection after five seconds. Slow clients therefore can neither occupy connections for a long time
/// nor delay a shutdown, and a client that pipelines requests gets one answer.
final class ConnectionLifetime: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private enum State {
        case waitsForHead
        case inRequest
        case afterRequest
    }

    private static let headLimit: TimeAmount = .seconds(1)
    private static let limit: TimeAmount = .seconds(5)

    private let connections: OpenConnections
    private let gate = RequestGate()
    private var state = State.waitsForHead

    init(_ connections: OpenConnections) {
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let (channel, connections) = (context.channel, connections)
        connections.opened(channel)
        do {
            try context.pipeline.syncOperations.addHandler(gate, position: .first)
        } catch {
            context.close(promise: nil)
        }
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let head = channel.eventLoop.scheduleTask(in: Self.headLimit) {
            if loopBound.value.state == .waitsForHead { channel.close(promise: nil) }
        }
        let end = channel.eventLoop.scheduleTask(in: Self.limit) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in
            head.cancel()
            end.cancel()
            connections.closed(channel)
        }
    }

    /// Passes on the first request with `Connection: close`, and drops everything after it.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.waitsForHead, .head(var request)):
            state = .inRequest
            connections.gotRequest(context.channel)
            request.headerFields[.connection] = "close"
            context.fireChannelRead(wrapInboundOut(.head(request)))
        case (.inRequest, .body(let body)): context.fireChannelRead(wrapInboundOut(.body(body)))
        case (.inRequest, .end(let trailers)):
            state = .afterRequest
            gate.isShut = true
            context.fireChannelRead(wrapInboundOut(.end(trailers)))
        default: break
        }
    }
}
