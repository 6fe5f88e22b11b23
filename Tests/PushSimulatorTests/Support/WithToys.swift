import Logging
import PushSimulator
import SimulatorTestSupport

/// Runs a simulator with a ``ToyDouble`` for one test.
func withToys(
    _ body: (SimulatedService<ToyDouble>, Control) async throws -> Void
) async throws {
    var configuration = ServerConfiguration()
    configuration.otherPorts = [0]
    configuration.protocols = [.http2, .http1]
    configuration.hostnames = ["simulator.test"]
    let simulator = try SimulatedService(ToyDouble(), configuration: configuration, logger: Logger(label: "toys"))
    try await simulator.start()
    do {
        try await body(simulator, Control(port: simulator.controlPort ?? 0))
    } catch {
        await simulator.stop()
        throw error
    }
    await simulator.stop()
}
