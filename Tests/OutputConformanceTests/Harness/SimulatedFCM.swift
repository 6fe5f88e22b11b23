import Foundations
import FCMOutput
import FCMSimulator
import Foundation
import Logging
import NIOCore
import NIOPosix
import OutputConformance
import PushModel
import Store

extension SimulatedProvider<FCMDouble> {
    static let streams = 10

    /// - Parameters:
    ///   - emails: the addresses of the project's service accounts.
    ///   - key: the private key of all these accounts, in PEM form.
    convenience init(project: String, emails: [String], keyID: String, key: String) async throws {
        var configuration = FCMSimulatorConfiguration()
        configuration.controlPort = nil
        configuration.streamLimit = Self.streams
        configuration.accounts = try emails.map { email in
            try SimulatedAccount(project: project, email: email, keyID: keyID, pem: key)
        }
        try await self.init(
            SimulatedFCM(
                configuration: configuration, logger: Logger(label: "simulator") { _ in SwiftLogNoOpLogHandler() }),
            Answers(
                refused: PlannedFCMAnswer(.invalidToken), busy: PlannedFCMAnswer(.unavailable),
                credentialRefused: PlannedFCMAnswer(.permissionDenied), nonsense: PlannedFCMAnswer(.badGateway)))
    }

    func makeOutput(requestTimeoutSeconds: Int) -> FCMSender {
        var configuration = FCMConfiguration()
        configuration.endpoint = Endpoint(host: "localhost", port: 443)
        configuration.tokenEndpoint = configuration.endpoint
        configuration.authorityFile = authority.path
        configuration.maximumConnections = 1
        configuration.requestTimeoutSeconds = requestTimeoutSeconds
        configuration.connectTimeoutSeconds = 30
        configuration.breakMilliseconds = 200
        let simulator = simulator
        configuration.resolve = { _, _ in [try SocketAddress(ipAddress: "127.0.0.1", port: simulator.port)] }
        return FCMSender(
            configuration: configuration, eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { .now })
    }
}
