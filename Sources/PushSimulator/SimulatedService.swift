package import Logging
internal import Foundations

/// A simulated push service with TLS, HTTP/2 and its own certificate authority, by default on loopback. A
/// ``PushDouble`` defines how it checks and answers requests. On demand, it also simulates failures.
///
/// Start the simulator, make the sender trust ``caCertificatePEM``, send pushes to ``port``, and inspect
/// ``counters()``.
public final class SimulatedService<Service: PushDouble>: Sendable {
    /// The authority that signed the simulator's TLS certificate.
    public let certificateAuthority: CertificateAuthority
    package let double: Service
    let answers = ChosenAnswers<Service.Answer>()
    let server: SimulatorServer
    let logger: Logger
    private let control = Mutex(Control())

    private struct Control {
        var endpoint: ControlServer?
        /// The port of the endpoint, or `nil` if it never ran. It is kept after a stop, so that a restart uses the same
        /// port.
        var port: Int?
        /// The last outage that was requested, or `nil` if there was none.
        var outage: Task<Void, any Error>?
    }

    /// Creates a simulator of a service.
    ///
    /// - Throws: ``SimulatorError`` if the certificate authority's directory cannot be used.
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

    /// Starts listening. After the call, the ports are known. A restart after ``stop()`` uses the same ports, counters,
    /// recordings, keys and faults.
    ///
    /// - Throws: ``SimulatorError`` that names the port if it is in use or not permitted.
    public func start() async throws {
        try await server.start()
        guard let port = control.withLock(\.port) ?? server.configuration.controlPort else { return }
        do {
            let endpoint = try await ControlServer.start(
                configuration: server.configuration, port: port, answer: ControlRoutes(simulator: self).answers())
            control.withLock { ($0.endpoint, $0.port) = (endpoint, endpoint.port) }
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Closes all connections and ports. Does nothing if the simulator is not running.
    public func stop() async {
        await control.withLock { $0.endpoint.take() }?.stop()
        await server.stop()
    }

    /// Stops the simulator, and starts it again on the same ports after a time. All connections are lost. The control
    /// endpoint keeps running. Several calls at once take effect one after the other.
    ///
    /// - Throws: ``SimulatorError`` if another process took a port while the simulator was down. `CancellationError` if
    ///   the task was cancelled. In both cases, the simulator stays down.
    public func goDown(for time: Duration) async throws {
        let outage = control.withLock { control in
            let outage = Task { [previous = control.outage] in
                _ = await previous?.result
                try await restart(after: time)
            }
            control.outage = outage
            return outage
        }
        try await withTaskCancellationHandler {
            try await outage.value
        } onCancel: {
            outage.cancel()
        }
    }

    private func restart(after time: Duration) async throws {
        await server.stop()
        do {
            try await Task.sleep(for: time)
            try await server.start()
        } catch {
            await control.withLock { $0.endpoint.take() }?.stop()
            throw error
        }
    }

    /// The port for pushes, or 0 while the simulator is not running.
    public var port: Int { server.ports.first ?? 0 }

    /// The ports for the service's other endpoints. The list is empty while the simulator is not running.
    package var otherPorts: [Int] { Array(server.ports.dropFirst()) }

    /// The port of the control endpoint, or `nil` if it is disabled or stopped.
    public var controlPort: Int? { control.withLock { $0.endpoint?.port } }

    /// The certificate of the authority in PEM. Clients must trust it.
    public var caCertificatePEM: String {
        get throws { try certificateAuthority.certificatePEM }
    }

    /// The path of the authority's certificate, or `nil` if the authority exists only in memory.
    public var caCertificatePath: String? {
        server.configuration.directory.map { AuthorityDirectory(path: $0).certificatePath }
    }
}
