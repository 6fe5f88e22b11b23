internal import Logging
internal import NIOCore

/// A handler that stops accepting connections for a second after a failure, such as a lack of file descriptors.
///
/// NIO's own `AcceptBackoffHandler` leaves the listening socket registered, so the event loop would report it as
/// readable all the time.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let logger: Logger
    private var nextLine = NIODeadline.now()
    private static let pause = TimeAmount.seconds(1), timeBetweenLines = TimeAmount.seconds(60)

    init(logger: Logger) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError else { return context.fireErrorCaught(error) }
        if nextLine <= .now() {
            nextLine = .now() + Self.timeBetweenLines
            logger.error("a connection cannot be accepted", metadata: ["error": "\(error)"])
        }
        accept(false, context)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { self.accept(true, context) }
    }

    private func accept(_ isWanted: Bool, _ context: ChannelHandlerContext) {
        do {
            try context.channel.syncOptions?.setOption(.autoRead, value: isWanted)
        } catch {
            // The error does not matter, because the port is closed.
        }
    }
}
