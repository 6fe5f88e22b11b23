internal import Foundations
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// A running control endpoint.
struct ControlServer: Sendable {
    let port: Int
    private let services: ServiceGroup
    private let task: Task<Void, Never>

    /// Starts the endpoint and waits until it listens.
    ///
    /// - Throws: ``SimulatorError`` that names the port if it cannot be opened.
    static func start(
        _ router: Router<ControlGate.Context>, configuration: ServerConfiguration, port: Int, logger: Logger
    ) async throws -> ControlServer {
        let host = configuration.host
        let (ports, announcement) = AsyncThrowingStream<Int, any Error>.makeStream()
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            router: router, server: .http1(configuration: .init(idleTimeout: TimeAmount(configuration.timeout))),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { announcement.yield($0.localAddress?.port ?? port) }, logger: quiet)
        let services = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: quiet))
        let task = Task {
            do {
                try await services.run()
                announcement.finish()
            } catch {
                announcement.finish(throwing: error)
            }
        }
        do {
            for try await port in ports {
                return ControlServer(port: port, services: services, task: task)
            }
        } catch {
            throw SimulatorError(
                "control endpoint: \(SimulatorError(cannotListenOn: Endpoint(host: host, port: port), error))")
        }
        throw SimulatorError("control endpoint: stopped before it listened")
    }

    /// Stops the endpoint. Requests that have arrived are still answered, for at most one second.
    func stop() async {
        await services.triggerGracefulShutdown()
        let impatience = Task { [task] in
            try await Task.sleep(for: Self.timeToEnd)
            task.cancel()
        }
        await task.value
        impatience.cancel()
    }

    private static let timeToEnd = Duration.seconds(1)
}
