internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// The control endpoint while it listens.
struct ControlServer: Sendable {
    let port: Int
    private let services: ServiceGroup
    private let task: Task<Void, Never>

    /// - Throws: ``SimulatorError`` naming the port that can't be had.
    static func start(simulator: APNSSimulator, host: String, port: Int, logger: Logger) async throws -> ControlServer {
        let (ports, announcement) = AsyncThrowingStream<Int, any Error>.makeStream()
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            router: ControlRoutes(simulator: simulator).router(),
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
            throw SimulatorError("control endpoint: can't listen on \(host):\(port): \(error)")
        }
        throw SimulatorError("control endpoint: stopped before it listened")
    }

    func stop() async {
        await services.triggerGracefulShutdown()
        await task.value
    }
}
