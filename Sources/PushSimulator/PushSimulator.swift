package import Logging
internal import Threading

/// A push service on this machine, with TLS and HTTP/2 on loopback and a certificate authority of its own. It checks
/// and answers requests as the service does, by the rules of its double. On demand, it simulates the service's
/// failures.
///
/// Start it, let the sender under test trust ``caCertificatePEM``, send pushes to ``port``, and inspect ``counters()``.
public final class PushSimulator<Service: PushDouble>: Sendable {
    /// The authority that signed the simulator's TLS certificate.
    public let certificateAuthority: CertificateAuthority
    package let double: Service
    let answers = ChosenAnswers<Service.Answer>()
    let server: SimulatorServer
    let logger: Logger
    private let control = Mutex(Control())

    private struct Control {
        var endpoint: ControlServer?
        /// The port of the endpoint. It is kept when the endpoint stops, so that a restart uses it again.
        var port: Int?
    }

    /// Creates a simulator of the service.
    ///
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

    /// Starts listening. The ports are known afterwards. After a ``stop()``, the ports stay the same, and counters,
    /// recordings, keys and faults are kept.
    ///
    /// - Throws: ``SimulatorError`` naming the port that is in use or not permitted.
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

    /// Closes all connections and ports, if the simulator is running.
    public func stop() async {
        await control.withLock { $0.endpoint.take() }?.stop()
        await server.stop()
    }

    /// Stops, and starts again on the same ports after `time`. All connections are lost. The control endpoint keeps
    /// running.
    ///
    /// - Throws: ``SimulatorError`` if a port was taken while the simulator was down; CancellationError if cancelled,
    ///   in which case the simulator stays down.
    public func goDown(for time: Duration) async throws {
        await server.stop()
        do {
            try await Task.sleep(for: time)
            try await server.start()
        } catch {
            // A concurrent `goDown` call may already have started the server again.
            if server.ports.isEmpty { await control.withLock { $0.endpoint.take() }?.stop() }
            throw error
        }
    }

    /// The port for pushes, or 0 while the simulator is not running.
    public var port: Int { server.ports.first ?? 0 }

    /// The ports for the service's other endpoints. Empty while the simulator is not running.
    package var otherPorts: [Int] { Array(server.ports.dropFirst()) }

    /// The port of the control endpoint, or `nil` if it is disabled or stopped.
    public var controlPort: Int? { control.withLock { $0.endpoint?.port } }

    /// The certificate that clients must trust.
    public var caCertificatePEM: String {
        get throws { try certificateAuthority.certificatePEM }
    }

    /// The path of the certificate that clients must trust, or `nil` if the authority is kept in memory only.
    public var caCertificatePath: String? {
        server.configuration.directory.map { AuthorityDirectory(path: $0).certificatePath }
    }
}
