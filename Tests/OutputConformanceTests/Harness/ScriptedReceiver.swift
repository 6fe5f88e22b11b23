import Foundations
import Foundation
import Logging
import NIOCore
import NIOPosix
import OutputConformance
import PushModel
import Store
import TestSupport
import WebhookOutput
import WireTestSupport

/// A receiver of batches that can show every behaviour that the rules need.
final class ScriptedReceiver: Sendable {
    private struct Batch: Decodable {
        struct Recipient: Decodable {
            let i: Int
            let token: String
        }

        let recipients: [Recipient]
    }

    private final class State: Sendable {
        let now = Mutex((behaviour: ProviderBehaviour.accepts, arrivals: [String: Int]()))
    }

    private let state = State()
    private let server: HTTP1Server
    private let nobody: RefusingPort

    init() async throws {
        nobody = try RefusingPort()
        server = try await HTTP1Server { [state] request in
            guard let batch = try? JSONDecoder().decode(Batch.self, from: Data(request.body)) else {
                return .answer(400)
            }
            let behaviour = state.now.withLock { state in
                for recipient in batch.recipients { state.arrivals[recipient.token, default: 0] += 1 }
                return state.behaviour
            }
            return Self.react(to: batch, behaviour)
        }
    }

    /// Returns a credential with a URL whose host ``makeOutput(requestTimeoutSeconds:)`` resolves to a receiver.
    static func credential(id: String) -> Credential {
        let json = #"{"url":"https://localhost/\#(id)","secrets":["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]}"#
        return Credential(
            id: id, output: WebhookPlugin().name, kind: .secret(Secret(json.utf8)), account: "receiver",
            environments: [.production])
    }

    func makeOutput(requestTimeoutSeconds: Int) -> WebhookSender {
        var configuration = WebhookConfiguration()
        configuration.privateHosts = [Endpoint(host: "localhost", port: 443)]
        configuration.authorityFile = server.authorityFile
        configuration.maximumBatches = 2
        configuration.maximumRecipients = 10
        configuration.requestTimeoutSeconds = requestTimeoutSeconds
        configuration.connectTimeoutSeconds = 30
        configuration.breakMilliseconds = 200
        configuration.resolve = { [state, server, nobody] _, _ in
            let isAway = state.now.withLock { $0.behaviour == .away }
            return [try SocketAddress(ipAddress: "127.0.0.1", port: isAway ? nobody.port : server.port)]
        }
        let context = OutputContext(
            settings: OutputSettings([]), tokens: LocalTokenStore(clock: { .now }), clock: { .now },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return WebhookSender(
            name: WebhookPlugin().name, configuration: configuration,
            eventLoops: MultiThreadedEventLoopGroup.singleton, context: context)
    }

    var arrivals: [String: Int] { state.now.withLock(\.arrivals) }
    var openConnections: Int { server.connections - server.closed }

    func stop() async { try? await server.stop() }

    var behaviours: [ProviderBehaviour: @Sendable () async throws -> Void] {
        var behaviours: [ProviderBehaviour: @Sendable () async throws -> Void] = [:]
        for behaviour in ProviderBehaviour.allCases {
            behaviours[behaviour] = { [state, server] in
                state.now.withLock { $0.behaviour = behaviour }
                if behaviour == .away { server.closeConnections() }
            }
        }
        return behaviours
    }

    private static func react(to batch: Batch, _ behaviour: ProviderBehaviour) -> HTTP1Server.Reaction {
        // A token such as `doubtful-401` makes the receiver refuse the whole batch with this status.
        let status = batch.recipients.lazy.compactMap { recipient in
            recipient.token.hasPrefix("doubtful-") ? Int(recipient.token.dropFirst(9)) : nil
        }.first
        if let status, behaviour == .accepts { return .answer(status) }
        return switch behaviour {
        case .accepts, .away: .answer(200, reported(batch))
        case .slow: .answer(200, reported(batch), after: 200)
        case .refuses: .answer(200, reported(batch, kind: "rejected"))
        case .busy: .answer(429)
        case .refusesCredential: .answer(401)
        case .garbles: .answer(200, "<html>\u{0}{")
        case .hangsUp: .end()
        case .silent: .nothing
        }
    }

    private static func reported(_ batch: Batch, kind: String = "sent") -> String {
        let outcomes = batch.recipients.map { recipient in
            let kind = ["refused": "rejected", "dead": "unregistered"][recipient.token] ?? kind
            return #"{"i":\#(recipient.i),"kind":"\#(kind)"}"#
        }
        return #"{"outcomes":[\#(outcomes.joined(separator: ","))]}"#
    }
}
