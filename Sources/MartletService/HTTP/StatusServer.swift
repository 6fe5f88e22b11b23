import DeliveryPipeline
import Hummingbird
import Logging
import NIOCore

/// The worker's HTTP endpoints: `/health` (the process answers), `/ready` (it consumes and can publish) and
/// `/metrics`.
enum StatusServer {
    static func make(
        host: String, port: Int, eventLoops: any EventLoopGroup, logger: Logger,
        counts: @escaping @Sendable () -> PipelineCounts
    ) -> Application<RouterResponder<BasicRequestContext>> {
        let router = Router()
        router.get("health") { _, _ in "ok\n" }
        router.get("ready") { _, _ in
            let counts = counts()
            let isReady = counts.isConsuming && counts.isPublishing
            return EditedResponse(
                status: isReady ? .ok : .serviceUnavailable,
                response: isReady
                    ? "ready\n" : "consuming: \(counts.isConsuming), publishing: \(counts.isPublishing)\n")
        }
        router.get("metrics") { _, _ in
            EditedResponse(
                headers: [.contentType: "text/plain; version=0.0.4"], response: MetricsText.render(counts()))
        }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        return Application(
            router: router, configuration: .init(address: .hostname(host, port: port)),
            eventLoopGroupProvider: .shared(eventLoops), logger: quiet)
    }
}
