import Foundations
import APNSOutput
import APNSSimulator
import Foundation
import Logging
import NIOPosix
import OutputConformance
import PushModel
import Store

extension SimulatedProvider<APNSDouble> {
    static let streams = 10

    convenience init(keys: [TokenKey]) async throws {
        var configuration = SimulatorConfiguration()
        configuration.controlPort = nil
        configuration.streamLimit = Self.streams
        configuration.tokenKeys = keys
        try await self.init(
            SimulatedAPNS(
                configuration: configuration, logger: Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() }),
            Answers(
                refused: PlannedAnswer(.badDeviceToken), busy: PlannedAnswer(.tooManyRequests),
                credentialRefused: PlannedAnswer(.invalidProviderToken),
                nonsense: PlannedAnswer(status: 400, body: "<html>\u{0}{")))
    }

    func makeOutput(requestTimeoutSeconds: Int) throws -> APNSSender {
        var configuration = APNSConfiguration(
            production: .init(host: "127.0.0.1", port: simulator.port), authorityFile: authority.path,
            maximumConnections: 1, requestTimeoutSeconds: requestTimeoutSeconds, connectTimeoutSeconds: 30)
        configuration.breakMilliseconds = 200
        // Signing may wait long for a thread, because other tests use the same threads.
        configuration.tokenPatienceMilliseconds = 60_000
        return APNSSender(
            configuration: configuration, tokens: LocalTokenStore(clock: { .now }),
            eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { .now })
    }
}
