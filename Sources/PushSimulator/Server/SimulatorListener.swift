internal import Foundations
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A listener that opens the simulator's TLS ports. It assigns each connection to the ``SimulatorLoop`` of its event
/// loop.
struct SimulatorListener {
    let configuration: ServerConfiguration
    let authority: CertificateAuthority
    let logger: Logger

    /// Opens all of the given ports, or none if one of them fails.
    ///
    /// - Throws: ``SimulatorError`` that names the port if it cannot be opened.
    func listen(
        _ group: MultiThreadedEventLoopGroup, _ loops: [NIOLoopBound<SimulatorLoop>], ports: [Int]
    ) async throws -> [any Channel] {
        var listeners: [any Channel] = []
        do {
            for (place, number) in ports.enumerated() {
                listeners.append(try await listen(group, loops, number, port: place))
            }
        } catch {
            for listener in listeners { try? await listener.close() }
            throw error
        }
        return listeners
    }

    /// Opens one port.
    ///
    /// - Parameter port: the index of the port, as in ``ConnectingClient/port``.
    private func listen(
        _ group: MultiThreadedEventLoopGroup, _ loops: [NIOLoopBound<SimulatorLoop>], _ number: Int, port: Int
    ) async throws -> any Channel {
        let tls = try makeTLSContext(configuration.protocols(port: port))
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
                        HandshakeHandler(loop: loop.value, port: port))
                }
            }
        do {
            return try await bootstrap.bind(host: configuration.host, port: number).get()
        } catch {
            throw SimulatorError(cannotListenOn: Endpoint(host: configuration.host, port: number), error)
        }
    }

    private func makeTLSContext(_ protocols: [ApplicationProtocol]) throws -> NIOSSLContext {
        let issued = try authority.issueServerCertificate(
            names: CertificateAuthority.names(configuration.host) + configuration.hostnames)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(issued.certificatePEM.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem)))
        // A closed connection occupies memory for this time if its client does not send close_notify.
        tls.shutdownTimeout = .milliseconds(500)
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = protocols.map(\.rawValue)
        tls.certificateVerification = .optionalVerification
        tls.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: Array(try authority.certificatePEM.utf8), format: .pem)
        ])
        return try NIOSSLContext(configuration: tls)
    }
}
