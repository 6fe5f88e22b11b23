import Foundations
import NIOCore
import NIOPosix
import NIOSSL

/// A factory for connections to one endpoint: TCP, the tunnel through a proxy if there is one, TLS, and the HTTP
/// handlers.
struct Connector: Sendable {
    private let endpoint: Endpoint
    private let proxy: HTTPProxy?
    /// The TLS context, or `nil` for cleartext.
    private let tls: NIOSSLContext?
    private let versions: HTTPVersions
    private let allowsAddress: PoolConfiguration.AddressRule
    private let timeoutSeconds: Int
    private let resolve: PoolConfiguration.Resolver
    private let lookups: NameLookups

    /// Creates a connector for the endpoint of a configuration.
    ///
    /// - Throws: An error if a certificate or the authority file cannot be used, or
    ///   ``ConnectError/addressThroughProxy(_:)``.
    init(_ configuration: PoolConfiguration) throws {
        endpoint = configuration.endpoint
        proxy = configuration.proxy
        timeoutSeconds = configuration.connectTimeoutSeconds
        resolve = configuration.resolve
        lookups = configuration.lookups
        versions = configuration.protocols
        allowsAddress = configuration.allowsAddress
        guard var tls = configuration.tls else {
            tls = nil
            return
        }
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = versions.applicationProtocols
        if tls.certificateVerification == .fullVerification, proxy != nil, endpoint.isAddress {
            throw ConnectError.addressThroughProxy(endpoint.host)
        }
        self.tls = try (configuration.sharedTLS ?? SharedTLS()).context { try NIOSSLContext(configuration: tls) }
    }

    /// Looks up the addresses to connect to: the allowed addresses of the endpoint, or the addresses of the proxy.
    func addresses(on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        guard let proxy else {
            return addresses(of: endpoint, on: eventLoop).flatMapThrowing { try allowed($0) }
        }
        // The proxy looks up names itself, and must restrict the addresses that it connects to. Only an endpoint that
        // is an address can be checked here.
        if let address = try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port), !allowsAddress(address) {
            return eventLoop.makeFailedFuture(ConnectError.refused(address, of: endpoint))
        }
        return addresses(of: proxy.endpoint, on: eventLoop)
    }

    private func allowed(_ addresses: [SocketAddress]) throws(ConnectError) -> [SocketAddress] {
        let allowed = addresses.filter(allowsAddress)
        if allowed.isEmpty, let refused = addresses.first { throw .refused(refused, of: endpoint) }
        return allowed
    }

    private func addresses(of endpoint: Endpoint, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        if let address = try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port) {
            return eventLoop.makeSucceededFuture([address])
        }
        let looked = eventLoop.makePromise(of: [SocketAddress].self)
        // The system may wait for name servers longer than the connect timeout.
        let overdue = eventLoop.scheduleTask(in: .seconds(Int64(timeoutSeconds))) { [timeoutSeconds] in
            looked.fail(ConnectError.timeout(doing: "looking up \(endpoint.host)", seconds: timeoutSeconds))
        }
        lookups.addresses(of: endpoint, resolve: resolve, on: eventLoop).whenComplete { result in
            overdue.cancel()
            looked.completeWith(result)
        }
        return looked.futureResult
    }

    /// Connects to one address.
    ///
    /// - Parameter makeWire: A function that creates the protocol handler, which becomes part of the channel. It is
    ///   called after TLS and any tunnel are established.
    func connect(
        to address: SocketAddress, on eventLoop: any EventLoop, makeWire: @escaping (HTTPVersion) throws -> Wire
    ) -> EventLoopFuture<any Channel> {
        let established = eventLoop.makePromise(of: (any Channel).self)
        let handler = HandshakeHandler(promise: established) { [versions, tls] negotiated in
            try makeWire(versions.chosen(negotiated, withTLS: tls != nil)).handlers
        }
        let handshake = NIOLoopBound(handler, eventLoop: eventLoop)
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
                    try channel.pipeline.syncOperations.addHandlers(try firstHandlers() + [handshake.value])
                }
            }
            .connect(to: address)
        opened.whenFailure { handshake.value.fail($0) }
        if tls == nil, proxy == nil { opened.whenSuccess { handshake.value.isOpen($0, nil) } }
        established.futureResult.whenComplete { result in
            overdue.cancel()
            if case .failure = result { opened.whenSuccess { $0.close(promise: nil) } }
        }
        return established.futureResult
    }

    private func firstHandlers() throws -> [any ChannelHandler] {
        // Server name indication allows only names.
        let name = endpoint.isAddress ? nil : endpoint.host
        let tls = try tls.map { try NIOSSLClientHandler(context: $0, serverHostname: name) }
        if let proxy { return [ProxyTunnelHandler(to: endpoint, through: proxy, tls: tls)] }
        return tls.map { [$0] } ?? []
    }
}
