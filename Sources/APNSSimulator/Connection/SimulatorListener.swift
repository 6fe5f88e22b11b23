internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Opens the simulator's TLS ports and hands each connection to its event loop's ``SimulatorLoop``.
struct SimulatorListener {
    let configuration: SimulatorConfiguration
    let authority: CertificateAuthority
    let logger: Logger

    /// - Throws: ``SimulatorError`` naming the port that can't be had.
    func listen(
        _ group: MultiThreadedEventLoopGroup, _ loops: [NIOLoopBound<SimulatorLoop>], port: Int, managesChannels: Bool
    ) async throws -> any Channel {
        let tls = try makeTLSContext()
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { [logger] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 4_096, initial: 4_096, maximum: 262_144)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = loops.first(where: { $0.eventLoop === channel.eventLoop }) else { return }
                    if loop.value.faults.silence == .all {
                        try channel.syncOptions?.setOption(.autoRead, value: false)
                    }
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: tls),
                        HandshakeHandler(loop: loop.value, managesChannels: managesChannels))
                }
            }
        do {
            return try await bootstrap.bind(host: configuration.host, port: port).get()
        } catch {
            throw SimulatorError("can't listen on \(configuration.host):\(port): \(error)")
        }
    }

    private func makeTLSContext() throws -> NIOSSLContext {
        let issued = try authority.issueServerCertificate(
            names: CertificateAuthority.names(configuration.host) + configuration.hostnames)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(issued.certificatePEM.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem)))
        // So long takes a connection memory after its end, if its client does not say farewell.
        tls.shutdownTimeout = .milliseconds(500)
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["h2"]
        tls.certificateVerification = .optionalVerification
        tls.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: Array(try authority.certificatePEM.utf8), format: .pem)
        ])
        return try NIOSSLContext(configuration: tls)
    }
}
