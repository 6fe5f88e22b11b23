package import AMQPClient
package import Foundation
import HTTP2Pool
import MartletConfiguration
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A read-only client of RabbitMQ's management API. It logs in as the user of `amqp.url`.
package struct ManagementAPI: Sendable {
    /// A failed request, with a description for operators.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    package struct Answer: Sendable {
        package let status: Int
        /// The time of the response by the server's clock, in whole seconds, or `nil` if the response has none.
        package let date: Date?
        package let body: Data
    }

    private static let patience = TimeAmount.seconds(10)

    private let url: URLComponents
    private let authorization: String
    private let authorityFile: String?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - address: the base URL, such as `http://rabbit-1:15672`, with a path if a proxy adds one.
    ///   - broker: the configuration with the user and the password.
    ///   - authorityFile: the path of a PEM file with the certificate authorities to trust, or `nil` to trust the
    ///     system's authorities.
    /// - Throws: `ConfigurationError` if the address is not valid.
    package init(_ address: String, of broker: AMQPConfiguration, authorityFile: String?) throws {
        guard let url = URLComponents(string: address), ["http", "https"].contains(url.scheme),
            url.host?.isEmpty == false,
            url.query == nil
        else { throw ConfigurationError("--management: must be http://host:port or https://host:port") }
        guard url.user == nil, url.password == nil else {
            throw ConfigurationError(
                "--management: must not contain user and password, which all users of a machine can read; those "
                    + "of amqp.url are used")
        }
        self.url = url
        authorization = "Basic " + Data("\(broker.user):\(broker.passwordText)".utf8).base64EncodedString()
        self.authorityFile = authorityFile
    }

    /// Sends a GET request and returns the response.
    ///
    /// - Parameter path: the percent-encoded path below `/api`.
    package func get(_ path: String) async throws -> Answer {
        let host = url.host ?? ""
        let isTLS = url.scheme == "https"
        let port = url.port ?? (isTLS ? 15671 : 15672)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let answer = loop.makePromise(of: Answer.self)
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "\(url.percentEncodedPath)/api\(path)")
        head.headers = [
            "Host": "\(host):\(port)", "Authorization": authorization, "Accept": "application/json",
            "Connection": "close",
        ]
        let context = isTLS ? try tlsContext() : nil
        let request = head
        do {
            let channel = try await ClientBootstrap(group: loop)
                .connectTimeout(Self.patience)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let context {
                            // The server name in a TLS handshake must not be an address.
                            let name = host.contains(where: \.isLetter) && !host.contains(":") ? host : nil
                            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
                        }
                        try pipeline.addHTTPClientHandlers()
                        try pipeline.addHandler(AnswerCollector(request, answer))
                    }
                }
                .connect(host: host, port: port).get()
            loop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        } catch {
            answer.fail(Failure(description: "\(host):\(port) cannot be reached: \(error)"))
        }
        return try await answer.futureResult.get()
    }

    private func tlsContext() throws -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorityFile { tls.trustRoots = .file(authorityFile) }
        return try NIOSSLContext(configuration: tls)
    }
}

/// A handler that sends one request and collects the response.
private final class AnswerCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private static let largest = 32 << 20

    private let request: HTTPRequestHead
    private let answer: EventLoopPromise<ManagementAPI.Answer>
    private var head: HTTPResponseHead?
    private var body = Data()

    init(_ request: HTTPRequestHead, _ answer: EventLoopPromise<ManagementAPI.Answer>) {
        self.request = request
        self.answer = answer
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(request)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let part):
            body.append(contentsOf: part.readableBytesView)
            if body.count > Self.largest {
                answer.fail(ManagementAPI.Failure(description: "its answer is longer than \(Self.largest) bytes"))
                context.close(promise: nil)
            }
        case .end:
            guard let head else { return }
            answer.succeed(
                .init(
                    status: Int(head.status.code), date: head.headers.first(name: "date").flatMap(Self.date), body: body
                ))
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(ManagementAPI.Failure(description: ConnectError.text(of: error)))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer.fail(ManagementAPI.Failure(description: "the connection closed before the answer arrived"))
    }

    /// Parses a date in the IMF-fixdate format (RFC 9110), or returns `nil` if the text is not valid.
    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}
