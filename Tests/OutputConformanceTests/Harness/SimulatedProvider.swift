import Foundation
import OutputConformance
import PushSimulator
import Foundations

/// A simulated service that can show every behaviour that the rules need.
final class SimulatedProvider<Service: PushDouble>: Sendable {
    /// The service's answers to messages that it does not accept.
    struct Answers: Sendable {
        let refused: Service.Answer
        let busy: Service.Answer
        let credentialRefused: Service.Answer
        let nonsense: Service.Answer
    }

    let simulator: SimulatedService<Service>
    /// The file with the authority of the simulator's certificate.
    let authority: URL
    private let answers: Answers
    private let cutter = Mutex<Task<Void, any Error>?>(nil)

    init(_ simulator: SimulatedService<Service>, _ answers: Answers) async throws {
        self.simulator = simulator
        self.answers = answers
        authority = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString).pem")
        try await simulator.start()
        simulator.isRecording = true
        try simulator.caCertificatePEM.write(to: authority, atomically: true, encoding: .utf8)
    }

    var arrivals: [String: Int] { simulator.recordedArrivals }
    var openConnections: Int { get async { await simulator.counters().openConnections } }

    func stop() async {
        stopCutting()
        await simulator.stop()
        try? FileManager.default.removeItem(at: authority)
    }

    /// The functions that set a behaviour. Each ends the previous behaviour.
    var behaviours: [ProviderBehaviour: @Sendable () async throws -> Void] {
        [
            .accepts: { [self] in
                stopCutting()
                await simulator.setFaults(SimulatedService<Service>.StandingFaults())
                if simulator.port == 0 { try await simulator.start() }
            },
            .slow: { [self] in await answer { $0.answerDelayMilliseconds = 200 } },
            .refuses: { [self] in await answer { $0.answer = answers.refused } },
            .busy: { [self] in await answer { $0.answer = answers.busy } },
            .refusesCredential: { [self] in await answer { $0.answer = answers.credentialRefused } },
            .garbles: { [self] in await answer { $0.answer = answers.nonsense } },
            .hangsUp: { [self] in
                await answer { $0.silence = .answers }
                cutWhatHasCome()
            },
            .silent: { [self] in await answer { $0.silence = .answers } },
            .away: { [self] in await simulator.stop() },
        ]
    }

    private func answer(_ change: (inout SimulatedService<Service>.StandingFaults) -> Void) async {
        var faults = SimulatedService<Service>.StandingFaults()
        change(&faults)
        await simulator.setFaults(faults)
    }

    private func cutWhatHasCome() {
        let task = Task { [simulator] in
            while true {
                if await simulator.counters().openStreams > 0 { await simulator.cutConnections() }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        cutter.withLock { $0 = task }
    }

    private func stopCutting() { cutter.withLock { $0.take() }?.cancel() }
}
