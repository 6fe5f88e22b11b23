package import Logging
internal import Threading

/// A push service on this machine: TLS and HTTP/2 on loopback with a certificate authority of its own. It checks requests
/// as the service does, by the rules of its double, answers as the service does, and does on demand what that does on bad
/// days.
///
/// Start it, let the sender under test trust ``caCertificatePEM``, push to ``port``, look at ``counters()``.
public final class PushSimulator<Service: PushDouble>: Sendable {
    /// What vouches for the simulator's TLS certificate.
    public let certificateAuthority: CertificateAuthority
    package let double: Service
    let answers = ChosenAnswers<Service.Answer>()
    let server: SimulatorServer
    let logger: Logger
    private let control = Mutex(Control())

    private struct Control {
        var endpoint: ControlServer?
        /// Kept when the endpoint is gone.
        var port: Int?
    }

    /// - Throws: ``SimulatorError`` if the certificate authority's directory can't be used.
    package init(_ double: Service, configuration: ServerConfiguration, logger: Logger) throws {
        self.double = double
        self.logger = logger
        certificateAuthority =
            try configuration.directory.map { try AuthorityDirectory(path: $0).loadOrCreate() }
            ?? CertificateAuthority()
        server = SimulatorServer(configuration: configuration, authority: certificateAuthority, logger: logger) {
            [answers] in try double.begin($0, answers: answers)
        }
    }

    /// Listens. The ports are known afterwards; after a ``stop()``, they are the same again, and counters, recordings,
    /// keys and faults are as they were.
    ///
    /// - Throws: ``SimulatorError`` naming the port that is in use or may not be used.
    public func start() async throws {
        try await server.start()
        guard let port = control.withLock(\.port) ?? server.configuration.controlPort else { return }
        do {
            let endpoint = try await ControlServer.start(
                ControlRoutes(simulator: self).router(), configuration: server.configuration, port: port, logger: logger
            )
            control.withLock { $0 = Control(endpoint: endpoint, port: endpoint.port) }
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Closes all connections and the ports. Nothing happens if the simulator is not running.
    public func stop() async {
        await control.withLock { $0.endpoint.take() }?.stop()
        await server.stop()
    }

    /// Stops, and starts again on the same ports after a while; all connections are lost. The control endpoint
    /// goes on.
    ///
    /// - Throws: ``SimulatorError`` if a port was taken meanwhile; CancellationError, and stays down, if cancelled.
    public func goDown(for time: Duration) async throws {
        await server.stop()
        do {
            try await Task.sleep(for: time)
            try await server.start()
        } catch {
            // Another one that was down at the same time may have brought it up.
            if server.ports.isEmpty { await control.withLock { $0.endpoint.take() }?.stop() }
            throw error
        }
    }

    /// The port for pushes; 0 while not running.
    public var port: Int { server.ports.first ?? 0 }

    /// The ports for what the service does elsewhere; none while not running.
    package var otherPorts: [Int] { Array(server.ports.dropFirst()) }

    /// The port of the control endpoint; nil while not running or without one.
    public var controlPort: Int? { control.withLock { $0.endpoint?.port } }

    /// The certificate that clients must trust.
    public var caCertificatePEM: String {
        get throws { try certificateAuthority.certificatePEM }
    }

    /// The file with the certificate that clients must trust; nil if the authority is kept in memory only.
    public var caCertificatePath: String? {
        server.configuration.directory.map { AuthorityDirectory(path: $0).certificatePath }
    }
}
