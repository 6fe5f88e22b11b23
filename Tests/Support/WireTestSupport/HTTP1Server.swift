import Foundation
package import NIOCore
import NIOHTTP1
import NIOPosix
import Foundations

/// An HTTP/1.1 server on loopback that answers each request with the bytes that a test specifies.
package final class HTTP1Server: Sendable {
    package struct Request: Sendable {
        /// The method and the path.
        package let line: String
        /// The header fields, with names in lower case.
        package let fields: [String: String]
        package internal(set) var body: [UInt8] = []
    }

    /// The reaction to a request.
    package enum Reaction: Sendable {
        /// Sends these bytes.
        case send(String)
        /// Sends these bytes, if any, and closes the connection.
        case end(String = "")
        /// Sends these bytes after the given number of milliseconds.
        case later(Int64, String)
        case nothing

        /// Returns an answer with a body.
        package static func answer(
            _ status: Int, _ body: String = "", fields: [String] = [], after milliseconds: Int64 = 0
        ) -> Reaction {
            let head = ["HTTP/1.1 \(status) Said", "content-length: \(body.utf8.count)"] + fields
            return .later(milliseconds, head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }
    }

    /// The moment at which a request is answered.
    package enum Moment: Sendable {
        case head
        case end
    }

    /// The connections and requests so far.
    private struct Record: Sendable {
        var connections: [any Channel] = []
        var closed = 0
        var requests: [Request] = []
    }

    private final class Records: Sendable {
        let now = Mutex(Record())
    }

    private let listener: any Channel
    private let tls: TLSListener?
    /// The path of the authority's certificate, or `nil` without TLS.
    package let authorityFile: String?
    private let records: Records

    package var address: SocketAddress {
        get throws { try listener.localAddress ?? SocketAddress(ipAddress: "127.0.0.1", port: 0) }
    }
    package var authorityPEM: String? { tls?.authorityPEM }
    package var port: Int { listener.localAddress?.port ?? 0 }
    /// The number of connections so far.
    package var connections: Int { records.now.withLock { $0.connections.count } }
    package var closed: Int { records.now.withLock { $0.closed } }
    package var requests: [Request] { records.now.withLock { $0.requests } }

    /// Runs a server while `body` runs.
    /// - Parameters:
    ///   - protocols: the protocols that ALPN may agree on, or `nil` for no TLS.
    ///   - react: called for each request, on its event loop.
    package static func with<Result>(
        protocols: [String]? = ["http/1.1"], answering moment: Moment = .end,
        react: @escaping @Sendable (Request) -> Reaction, _ body: (HTTP1Server) async throws -> Result
    ) async throws -> Result {
        let server = try await HTTP1Server(protocols, moment, react)
        do {
            let result = try await body(server)
            try await server.stop()
            return result
        } catch {
            try await server.stop()
            throw error
        }
    }

    /// Starts a server.
    /// - Parameter port: the port of a server without TLS, or 0 for one that the system chooses.
    package init(
        _ protocols: [String]? = ["http/1.1"], _ moment: Moment = .end, port: Int = 0,
        _ react: @escaping @Sendable (Request) -> Reaction
    ) async throws {
        let records = Records()
        let serve: @Sendable (any Channel) throws -> Void = { channel in
            records.now.withLock { $0.connections.append(channel) }
            channel.closeFuture.whenComplete { _ in records.now.withLock { $0.closed += 1 } }
            try channel.pipeline.syncOperations.addHandlers(
                ByteToMessageHandler(HTTPRequestDecoder()),
                HTTP1ServerConnection(moment) { request in
                    records.now.withLock { $0.requests.append(request) }
                    return react(request)
                })
        }
        self.records = records
        if let protocols {
            let tls = try await TLSListener.start(protocols: protocols, serve: serve)
            self.tls = tls
            listener = tls.channel
            let file = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString).pem").path
            try tls.authorityPEM.write(toFile: file, atomically: true, encoding: .utf8)
            authorityFile = file
        } else {
            tls = nil
            authorityFile = nil
            listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try serve(channel) } }
                .bind(host: "127.0.0.1", port: port).get()
        }
    }

    /// Closes all open connections.
    package func closeConnections() {
        for channel in records.now.withLock({ $0.connections }) { channel.close(promise: nil) }
    }

    package func stop() async throws {
        try await listener.close()
        closeConnections()
        if let authorityFile { try FileManager.default.removeItem(atPath: authorityFile) }
    }
}

/// A connection of an ``HTTP1Server``.
private final class HTTP1ServerConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private let moment: HTTP1Server.Moment
    private let react: (HTTP1Server.Request) -> HTTP1Server.Reaction
    private var request: HTTP1Server.Request?

    init(_ moment: HTTP1Server.Moment, _ react: @escaping (HTTP1Server.Request) -> HTTP1Server.Reaction) {
        self.moment = moment
        self.react = react
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = HTTP1Server.Request(
                line: "\(head.method) \(head.uri)",
                fields: Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" })
            if moment == .head { answer(context) }
        case .body(let bytes): request?.body += Array(bytes.readableBytesView)
        case .end: if moment == .end { answer(context) }
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard let request else { return }
        switch react(request) {
        case .send(let text): write(text, context)
        case .end(let text):
            write(text, context)
            context.close(promise: nil)
        case .later(let milliseconds, let text):
            guard milliseconds > 0 else { return write(text, context) }
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) { bound.value.0.write(text, bound.value.1) }
        case .nothing: break
        }
    }

    private func write(_ text: String, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
