import HTTPServing
import MartletConfiguration
import NIOHTTP1

/// The routes of the status page: the page, its JSON, its style sheet and its script.
struct StatusRoutes: Sendable {
    let status: StatusSource
    let guards: RequestGuards

    func add(to routes: inout RouteTable) {
        add("/", "text/html; charset=utf-8", to: &routes) { StatusPage.render(await $0.document()) }
        add("status.json", "application/json", to: &routes) { try await $0.document().json() }
        add("status.css", "text/css; charset=utf-8", to: &routes) { _ in StatusAssets.style }
        add("status.js", "text/javascript; charset=utf-8", to: &routes) { _ in StatusAssets.script }
    }

    private func add(
        _ path: String, _ type: String, to routes: inout RouteTable,
        _ body: @escaping @Sendable (StatusSource) async throws -> String
    ) {
        routes.add(.GET, path) { [status, guards] request in
            if let refusal = guards.refusalOfPage(request) { return refusal }
            return HTTPResponse(.ok, type, try await body(status))
        }
    }
}
