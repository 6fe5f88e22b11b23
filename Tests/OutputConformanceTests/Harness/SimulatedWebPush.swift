import Foundations
import Foundation
import Logging
import NIOCore
import NIOPosix
import OutputConformance
import PushModel
import Store
import WebPushOutput
import WebPushSimulator

/// A double of Mozilla's service, whose subscriptions accept messages signed with any key.
extension SimulatedProvider<WebPushDouble> {
    static let streams = 10
    /// A host name that does not exist and that the output resolves to the simulator.
    static let host = "push.example.test"

    /// - Parameter subscriptions: the subscriptions that are registered in the simulator.
    convenience init(_ subscriptions: SampleSubscriptions) async throws {
        try await self.init(
            subscriptions.simulator(),
            Answers(
                refused: PlannedWebPushAnswer(.badTopic), busy: PlannedWebPushAnswer(.tooManyRequests, retryAfter: 1),
                credentialRefused: PlannedWebPushAnswer(.badToken),
                nonsense: PlannedWebPushAnswer(.internalError, status: 418)))
    }

    func makeOutput(requestTimeoutSeconds: Int) -> WebPushSender {
        var configuration = WebPushConfiguration(
            hosts: AllowedHosts([], privateHosts: [Endpoint(host: Self.host, port: 443)]))
        configuration.authorityFile = authority.path
        configuration.requestTimeoutSeconds = requestTimeoutSeconds
        configuration.connectTimeoutSeconds = 30
        configuration.breakMilliseconds = 200
        // These limits make the output use two event loops.
        configuration.connectionsOfOrigin = 1
        configuration.maximumConnections = 2
        // Connections do not belong to one credential, so they close only when they are idle.
        configuration.idleSeconds = 1
        let simulator = simulator
        configuration.resolve = { _, _ in
            [try SocketAddress(ipAddress: "127.0.0.1", port: simulator.port(of: .mozilla))]
        }
        return WebPushSender(
            configuration: configuration, eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { .now })
    }
}
