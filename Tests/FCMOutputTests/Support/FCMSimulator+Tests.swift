import FCMSimulator
import Logging

extension SimulatedFCM {
    static func started(_ change: (inout FCMSimulatorConfiguration) -> Void = { _ in }) async throws -> SimulatedFCM {
        var configuration = FCMSimulatorConfiguration()
        configuration.controlPort = nil
        change(&configuration)
        let simulator = try SimulatedFCM(
            configuration: configuration, logger: Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() })
        try await simulator.start()
        simulator.isRecording = true
        return simulator
    }

    func setFaults(_ change: (inout StandingFaults) -> Void) async {
        var faults = StandingFaults()
        change(&faults)
        await setFaults(faults)
    }
}
