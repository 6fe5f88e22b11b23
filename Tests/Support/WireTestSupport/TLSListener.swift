import APNSSimulator
package import NIOCore
import NIOPosix
import NIOSSL

/// A TLS listener on loopback, by default for HTTP/2, with a certificate of its own authority.
package struct TLSListener: Sendable {
    package let address: SocketAddress
    package let authorityPEM: String
    package let channel: any Channel

    /// Starts a listener.
    /// - Parameters:
    ///   - protocols: the protocols that ALPN may agree on.
    ///   - serve: adds the handlers inside TLS. It is called for each connection, on its event loop.
    package static func start(
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, protocols: [String] = ["h2"],
        serve: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> TLSListener {
        let authority = try CertificateAuthority()
        let issued = try authority.issueServerCertificate()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(issued.certificatePEM.utf8)).map {
                .certificate($0)
            },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem)))
        configuration.applicationProtocols = protocols
        let tls = try NIOSSLContext(configuration: configuration)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    try serve(channel)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TLSListener(
            address: try channel.localAddress ?? SocketAddress(ipAddress: "127.0.0.1", port: 0),
            authorityPEM: try authority.certificatePEM, channel: channel)
    }

    package func stop() async throws { try await channel.close() }
}
