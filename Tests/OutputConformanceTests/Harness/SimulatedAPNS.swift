import Addressing
import APNSOutput
import APNSSimulator
import Foundation
import Logging
import NIOPosix
import OutputConformance
import PushModel
import Store
import TestSupport
import Threading

/// A simulator of Apple's service that behaves as the rules want it.
final class SimulatedAPNS: Sendable {
    static let streams = 10

    private let simulator: APNSSimulator
    private let authority: URL
    private let cutter = Mutex<Task<Void, any Error>?>(nil)

    init(keys: [TokenKey]) async throws {
        var configuration = SimulatorConfiguration()
        configuration.controlPort = nil
        configuration.streamLimit = Self.streams
        configuration.tokenKeys = keys
        simulator = try APNSSimulator(
            configuration: configuration, logger: Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() })
        authority = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString).pem")
        try await simulator.start()
        simulator.isRecording = true
        try simulator.caCertificatePEM.write(to: authority, atomically: true, encoding: .utf8)
    }

    func makeOutput(requestTimeoutSeconds: Int) throws -> APNSOutput {
        var configuration = APNSConfiguration(
            production: .init(host: "127.0.0.1", port: simulator.port), authorityFile: authority.path,
            maximumConnections: 1, requestTimeoutSeconds: requestTimeoutSeconds, connectTimeoutSeconds: 30)
        configuration.breakMilliseconds = 200
        // Signing waits for a thread that other tests may have for long.
        configuration.tokenPatienceMilliseconds = 60_000
        return APNSOutput(
            configuration: configuration, tokens: LocalTokenStore(clock: { .now }),
            eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { .now })
    }

    var arrivals: [String: Int] { simulator.recordedArrivals }
    var openConnections: Int { get async { await simulator.counters().openConnections } }

    func stop() async {
        stopCutting()
        await simulator.stop()
        try? FileManager.default.removeItem(at: authority)
    }

    /// Each ends the one before.
    var behaviours: [ProviderBehaviour: @Sendable () async throws -> Void] {
        [
            .accepts: { [self] in
                stopCutting()
                await simulator.setFaults(StandingFaults())
                if simulator.port == 0 { try await simulator.start() }
            },
            .slow: { [self] in await answer { $0.answerDelayMilliseconds = 200 } },
            .refuses: { [self] in await answer { $0.answer = PlannedAnswer(.badDeviceToken) } },
            .busy: { [self] in await answer { $0.answer = PlannedAnswer(.tooManyRequests) } },
            .refusesCredential: { [self] in await answer { $0.answer = PlannedAnswer(.invalidProviderToken) } },
            .garbles: { [self] in await answer { $0.answer = PlannedAnswer(status: 400, body: "<html>\u{0}{") } },
            .hangsUp: { [self] in
                await answer { $0.silence = .answers }
                cutWhatHasCome()
            },
            .silent: { [self] in await answer { $0.silence = .answers } },
            .away: { [self] in await simulator.stop() },
        ]
    }

    private func answer(_ change: (inout StandingFaults) -> Void) async {
        var faults = StandingFaults()
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
