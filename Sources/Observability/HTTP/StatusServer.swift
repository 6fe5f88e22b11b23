package import Foundations
import Glibc
import Hummingbird
package import Logging
package import Metering
package import NIOCore
import PushModel
import ServiceLifecycle

/// The read-only HTTP endpoints of a worker or an outcome ledger. `/health` shows that the process responds. `/ready`
/// shows whether the process does its work, or the reason why it does not. `/metrics` shows its metrics. A worker also
/// has a status page.
package struct StatusServer: Service {
    /// The maximum number of open connections. It is limited because deliveries need file descriptors as well.
    private static let mostConnections = 400

    private let endpoint: Endpoint
    private let eventLoops: any EventLoopGroup
    private let logger: Logger
    /// A closure that returns the reason why the process is not ready, or `nil` if it is ready.
    private let obstacle: @Sendable () -> String?
    /// The source of the status page, or `nil` for a process without a status page.
    private let status: StatusSource?
    private let access: StatusAccess
    private let metrics: MetricRegistry
    /// The metric families that `/metrics` shows, in this order.
    private let families: [MetricFamily]

    /// Creates the endpoints of a process without a status page.
    package init(
        endpoint: Endpoint, eventLoops: any EventLoopGroup, logger: Logger,
        obstacle: @escaping @Sendable () -> String?, access: StatusAccess, metrics: MetricRegistry,
        families: [MetricFamily]
    ) {
        self.init(
            endpoint: endpoint, eventLoops: eventLoops, logger: logger, obstacle: obstacle, status: nil,
            access: access, metrics: metrics, families: families)
    }

    private init(
        endpoint: Endpoint, eventLoops: any EventLoopGroup, logger: Logger,
        obstacle: @escaping @Sendable () -> String?, status: StatusSource?, access: StatusAccess,
        metrics: MetricRegistry, families: [MetricFamily]
    ) {
        (self.endpoint, self.eventLoops, self.logger) = (endpoint, eventLoops, logger)
        (self.obstacle, self.status, self.access) = (obstacle, status, access)
        (self.metrics, self.families) = (metrics, families)
    }

    package func run() async throws {
        do {
            try await application().run()
        } catch let error as IOError {
            throw ListenError(endpoint: endpoint, cause: error)
        }
    }

    private func application() -> Application<RouterResponder<BasicRequestContext>> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.add(middleware: SingleResponseMiddleware())
        router.add(middleware: ReadOnly())
        router.get("health") { _, _ in "ok\n" }
        router.get("ready") { [obstacle] _, _ in
            let obstacle = obstacle()
            return EditedResponse(
                status: obstacle == nil ? .ok : .serviceUnavailable, response: (obstacle?.printable ?? "ready") + "\n")
        }
        let holders = TokenHolders(token: access.token)
        router.group().add(middleware: NoPages()).add(middleware: holders).get("metrics") {
            [metrics, families] request, _ in
            let format = MetricFormat(accept: request.headers[.accept])
            return EditedResponse(
                headers: [.contentType: format.contentType], response: metrics.page().text(format, families))
        }
        if let status, access.isShown {
            let pages = router.group().add(middleware: KnownHosts(rule: access.hosts)).add(middleware: holders)
            StatusRoutes(status: status).add(to: pages)
        }
        let connections = OpenConnections(most: Self.mostConnections)
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        return Application(
            router: router,
            server: .http1(
                configuration: .init(additionalChannelHandlers: [ConnectionLifetime(connections)])),
            configuration: .init(
                address: .hostname(endpoint.host, port: endpoint.port)),
            eventLoopGroupProvider: .shared(eventLoops), logger: quiet)
    }
}

extension StatusServer {
    /// Creates the server of a worker.
    package init(
        endpoint: Endpoint, eventLoops: any EventLoopGroup, logger: Logger, status: StatusSource, access: StatusAccess,
        metrics: MetricRegistry
    ) {
        self.init(
            endpoint: endpoint, eventLoops: eventLoops, logger: logger,
            obstacle: { [state = status.state] in state.obstacle }, status: status, access: access, metrics: metrics,
            families: MetricFamily.all)
    }
}

/// A middleware that closes each connection after one response. Without it, a client might send a second request at the
/// moment when its connection is closed because of its age, and would get no response.
private struct SingleResponseMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.connection] = "close"
        return response
    }
}

/// An error for a configured address on which the server can't listen.
struct ListenError: Error, CustomStringConvertible {
    let endpoint: Endpoint
    let cause: IOError

    var description: String {
        cause.errnoCode == EADDRINUSE
            ? "http.listen: port \(endpoint.port) is in use (\(endpoint)): set another, or stop its process"
            : "http.listen: cannot listen on \(endpoint): \(String(cString: strerror(cause.errnoCode)))"
    }
}
