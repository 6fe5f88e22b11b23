import Addressing
import HTTP2Channel
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL

/// Opens sockets to one endpoint: TCP, the tunnel of a proxy if there is one, TLS, and the HTTP/2 handler inside.
struct Connector: Sendable {
    private let endpoint: Endpoint
    private let proxy: HTTPProxy?
    private let tls: NIOSSLContext
    private let timeoutSeconds: Int
    private let resolve: PoolConfiguration.Resolver
    private let lookups: NameLookups

    /// - Throws: when a certificate or the authority file can't be used.
    init(_ configuration: PoolConfiguration) throws {
        endpoint = configuration.endpoint
        proxy = configuration.proxy
        timeoutSeconds = configuration.connectTimeoutSeconds
        resolve = configuration.resolve
        lookups = configuration.lookups
        var tls = configuration.tls
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["h2"]
        if tls.certificateVerification == .fullVerification, proxy != nil, endpoint.isAddress {
            throw ConnectError.addressThroughProxy(endpoint.host)
        }
        self.tls = try NIOSSLContext(configuration: tls)
    }

    /// The addresses to connect to, the endpoint's own or the proxy's, looked up anew.
    func addresses(on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        let endpoint = proxy?.endpoint ?? endpoint
        if let address = try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port) {
            return eventLoop.makeSucceededFuture([address])
        }
        let looked = eventLoop.makePromise(of: [SocketAddress].self)
        // The system's own patience with name servers is longer than ours.
        let overdue = eventLoop.scheduleTask(in: .seconds(Int64(timeoutSeconds))) { [timeoutSeconds] in
            looked.fail(ConnectError.timeout(doing: "looking up \(endpoint.host)", seconds: timeoutSeconds))
        }
        lookups.addresses(of: endpoint, resolve: resolve, on: eventLoop).whenComplete { result in
            overdue.cancel()
            looked.completeWith(result)
        }
        return looked.futureResult
    }

    /// - Parameter handler: becomes part of the channel once TLS is through, and of none otherwise.
    func connect(
        _ handler: HTTP2ChannelHandler<HTTP2ClientSession>, to address: SocketAddress, on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        let established = eventLoop.makePromise(of: (any Channel).self)
        let handshake = NIOLoopBound(HandshakeHandler(successor: handler, promise: established), eventLoop: eventLoop)
        let overdue = eventLoop.scheduleTask(in: .seconds(Int64(timeoutSeconds))) {
            handshake.value.fail(
                ConnectError.timeout(doing: "connecting and TLS handshake", seconds: timeoutSeconds))
        }
        let opened = ClientBootstrap(group: eventLoop)
            .connectTimeout(.seconds(Int64(timeoutSeconds)))
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(try firstHandler(), handshake.value)
                }
            }
            .connect(to: address)
        opened.whenFailure { handshake.value.fail($0) }
        established.futureResult.whenComplete { result in
            overdue.cancel()
            if case .failure = result { opened.whenSuccess { $0.close(promise: nil) } }
        }
        return established.futureResult
    }

    private func firstHandler() throws -> any ChannelHandler {
        // Server name indication takes names only.
        let tls = try NIOSSLClientHandler(context: tls, serverHostname: endpoint.isAddress ? nil : endpoint.host)
        return proxy.map { ProxyTunnelHandler(to: endpoint, through: $0, tls: tls) } ?? tls
    }
}
