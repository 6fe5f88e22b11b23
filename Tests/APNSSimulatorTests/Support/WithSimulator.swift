import APNSSimulator

/// Runs a simulator for one test.
func withSimulator(
    _ change: (inout SimulatorConfiguration) -> Void = { _ in },
    _ body: (SimulatedAPNS) async throws -> Void
) async throws {
    var configuration = SimulatorConfiguration()
    configuration.controlPort = nil
    change(&configuration)
    let simulator = try SimulatedAPNS(configuration: configuration)
    try await simulator.start()
    do {
        try await body(simulator)
    } catch {
        await simulator.stop()
        throw error
    }
    await simulator.stop()
}
