import APNSOutput
import CredentialStore
import DeliveryPipeline
import Hummingbird
import Logging
import NIOCore
import PushModel
import ServiceLifecycle

/// The worker's HTTP endpoints: `/health` (the process answers), `/ready` (it consumes and can publish) and
/// `/metrics`.
struct StatusServer: Service {
    let host: String
    let port: Int
    let eventLoops: any EventLoopGroup
    let logger: Logger
    let counts: @Sendable () -> PipelineCounts
    let refusals: @Sendable () -> [Refusal]
    let badTokens: @Sendable () -> [APNSBadTokens]
    let credentials: @Sendable () -> [CredentialSummary]

    func run() async throws {
        do {
            try await application().run()
        } catch let error as IOError {
            throw ListenError(address: "\(host):\(port)", cause: error)
        }
    }

    private func application() -> Application<RouterResponder<BasicRequestContext>> {
        let router = Router()
        router.get("health") { _, _ in "ok\n" }
        router.get("ready") { [counts] _, _ in
            let counts = counts()
            let isReady = counts.isConsuming && counts.isPublishing
            return EditedResponse(
                status: isReady ? .ok : .serviceUnavailable,
                response: isReady
                    ? "ready\n" : "consuming: \(counts.isConsuming), publishing: \(counts.isPublishing)\n")
        }
        router.get("metrics") { [counts, refusals, badTokens, credentials] _, _ in
            EditedResponse(
                headers: [.contentType: "text/plain; version=0.0.4"],
                response: MetricsText.render(
                    counts(), refusals: refusals(), badTokens: badTokens(), credentials: credentials(), now: .now))
        }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        return Application(
            router: router, configuration: .init(address: .hostname(host, port: port)),
            eventLoopGroupProvider: .shared(eventLoops), logger: quiet)
    }
}

/// The configured address can't be listened on.
struct ListenError: Error, CustomStringConvertible {
    let address: String
    let cause: IOError

    var description: String { "http.listen: can't listen on \(address): \(cause)" }
}
