import HTTP2Channel
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL
import PushModel

/// Opens sockets for one credential to one endpoint: TCP, TLS with the credential's certificate if it has
/// one, and the HTTP/2 handler inside.
struct APNSConnector: Sendable {
    private let endpoint: APNSConfiguration.Endpoint
    private let tls: NIOSSLContext
    private let connectTimeout: TimeAmount

    /// - Throws: when the credential's certificate or the authority file can't be used.
    init(credential: Credential, environment: PushEnvironment, configuration: APNSConfiguration) throws {
        endpoint = configuration.endpoint(for: environment)
        connectTimeout = .seconds(Int64(configuration.connectTimeoutSeconds))
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["h2"]
        if let file = configuration.authorityFile { tls.trustRoots = .file(file) }
        if case .certificate(let chain, let key) = credential.kind {
            tls.certificateChain = try chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) }
            tls.privateKey = .privateKey(try key.withBytes { try NIOSSLPrivateKey(bytes: $0, format: .der) })
        }
        self.tls = try NIOSSLContext(configuration: tls)
    }

    /// What requests say in `:authority`.
    var authority: String { endpoint.port == 443 ? endpoint.host : endpoint.description }

    /// The name is looked up anew for each connection, as Apple asks.
    func connect(
        _ handler: HTTP2ChannelHandler<HTTP2ClientSession>, on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        let handler = NIOLoopBound(handler, eventLoop: eventLoop)
        return ClientBootstrap(group: eventLoop)
            .connectTimeout(connectTimeout)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: endpoint.host, port: endpoint.port)
            // Not in an initializer: a name with several addresses makes a channel for each that is tried,
            // and the handler belongs to the one that got through.
            .flatMap { channel in
                channel.eventLoop.makeCompletedFuture {
                    // Server name indication takes names only.
                    let isAddress = (try? SocketAddress(ipAddress: endpoint.host, port: 0)) != nil
                    try channel.pipeline.syncOperations.addHandlers(
                        try NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : endpoint.host),
                        handler.value)
                    return channel
                }.flatMapErrorThrowing { error in
                    channel.close(promise: nil)
                    throw error
                }
            }
    }
}
