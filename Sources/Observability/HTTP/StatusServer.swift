package import Foundations
import HTTPServing
package import Metering
package import NIOCore
import NIOHTTP1
import PushModel
import ServiceLifecycle

/// The read-only HTTP endpoints of a worker or an outcome ledger. `/health` shows that the process responds. `/ready`
/// shows whether the process does its work, or the reason why it does not. `/metrics` shows its metrics. A worker also
/// has a status page.
package struct StatusServer: Service {
    private let endpoint: Endpoint
    private let eventLoops: any EventLoopGroup
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
        endpoint: Endpoint, eventLoops: any EventLoopGroup,
        obstacle: @escaping @Sendable () -> String?, access: StatusAccess, metrics: MetricRegistry,
        families: [MetricFamily]
    ) {
        self.init(
            endpoint: endpoint, eventLoops: eventLoops, obstacle: obstacle, status: nil,
            access: access, metrics: metrics, families: families)
    }

    private init(
        endpoint: Endpoint, eventLoops: any EventLoopGroup,
        obstacle: @escaping @Sendable () -> String?, status: StatusSource?, access: StatusAccess,
        metrics: MetricRegistry, families: [MetricFamily]
    ) {
        (self.endpoint, self.eventLoops) = (endpoint, eventLoops)
        (self.obstacle, self.status, self.access) = (obstacle, status, access)
        (self.metrics, self.families) = (metrics, families)
    }

    package func run() async throws {
        let guards = RequestGuards(access)
        let routes = routes(guards)
        let listener = HTTPListener(limits: ServingLimits(), eventLoops: eventLoops, fields: RequestGuards.fields) {
            request in
            await guards.answer(request) {
                do {
                    return try await routes.answer(to: request) ?? HTTPResponse(.notFound, line: "unknown path")
                } catch {
                    return HTTPResponse(.internalServerError, line: "\(error)")
                }
            }
        }
        do {
            _ = try await listener.listen(on: endpoint)
        } catch {
            throw StatusListenError(endpoint: endpoint, cause: error)
        }
        try? await gracefulShutdown()
        await listener.stop(within: Self.patience)
    }

    private func routes(_ guards: RequestGuards) -> RouteTable {
        var routes = RouteTable()
        routes.add(.GET, "health") { _ in HTTPResponse(.ok, line: "ok") }
        routes.add(.GET, "ready") { [obstacle] request in
            if let refusal = guards.refusalOfBrowser(request) { return refusal }
            let obstacle = obstacle()
            return HTTPResponse(
                obstacle == nil ? .ok : .serviceUnavailable, line: obstacle?.printable ?? "ready")
        }
        routes.add(.GET, "metrics") { [metrics, families] request in
            if let refusal = guards.refusalOfMetrics(request) { return refusal }
            let format = MetricFormat(accept: request.fields.first(name: "accept"))
            return HTTPResponse(.ok, format.contentType, metrics.page().text(format, families))
        }
        if let status, access.isShown { StatusRoutes(status: status, guards: guards).add(to: &routes) }
        return routes
    }

    /// The maximum time for answers after a shutdown has begun.
    private static let patience = Duration.seconds(5)
}

extension StatusServer {
    /// Creates the server of a worker.
    package init(
        endpoint: Endpoint, eventLoops: any EventLoopGroup, status: StatusSource, access: StatusAccess,
        metrics: MetricRegistry
    ) {
        self.init(
            endpoint: endpoint, eventLoops: eventLoops,
            obstacle: { [state = status.state] in state.obstacle }, status: status, access: access, metrics: metrics,
            families: MetricFamily.all)
    }
}

/// An error for a configured address on which the server can't listen.
struct StatusListenError: Error, CustomStringConvertible {
    let endpoint: Endpoint
    let cause: ListenError

    var description: String {
        cause.isPortInUse
            ? "http.listen: port \(endpoint.port) is in use (\(endpoint)): set another, or stop its process"
            : "http.listen: cannot listen on \(endpoint): \(cause)"
    }
}
