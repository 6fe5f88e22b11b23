import Hummingbird
import MartletConfiguration
import NIOCore

/// The routes of the status page: the page, its JSON, its style sheet and its script.
struct StatusRoutes: Sendable {
    let status: StatusSource

    func add(to router: RouterGroup<BasicRequestContext>) {
        router.get("/") { [status] _, _ in
            answer("text/html; charset=utf-8", StatusPage.render(await status.document()))
        }
        router.get("status.json") { [status] _, _ in
            answer("application/json", try await status.document().json())
        }
        router.get("status.css") { _, _ in answer("text/css; charset=utf-8", StatusAssets.style) }
        router.get("status.js") { _, _ in answer("text/javascript; charset=utf-8", StatusAssets.script) }
    }
}

private func answer(_ type: String, _ body: String) -> EditedResponse<String> {
    EditedResponse(headers: [.contentType: type], response: body)
}

/// A middleware that allows only GET and HEAD. It adds headers to each response that prevent the browser from doing
/// more than displaying the page.
struct ReadOnly: RouterMiddleware {
    private static let headers: [(HTTPFields.Element.Name, String)] = {
        let strict = [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        return strict.compactMap { name, value in HTTPFields.Element.Name(name).map { ($0, value) } }
    }()

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        if request.method == .get || request.method == .head {
            do {
                response = try await next(request, context)
            } catch let error as any HTTPResponseError {
                response = try error.response(from: request, context: context)
            }
        } else {
            response = Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
        for (name, value) in Self.headers { response.headers[name] = value }
        return response
    }
}

/// A middleware that rejects requests without the access token, if a token is configured.
struct TokenHolders: RouterMiddleware {
    let token: AccessToken?

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        if let token, !token.isShown(by: request.headers[.authorization]) {
            return Response(
                status: .unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"martlet\", charset=\"UTF-8\""])
        }
        return try await next(request, context)
    }
}

/// A middleware that rejects cross-origin requests. Browsers mark such requests in the header `Sec-Fetch-Site` (W3C,
/// "Fetch Metadata").
struct NoPages: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let name = HTTPFields.Element.Name("Sec-Fetch-Site"), let site = request.headers[name],
            !["none", "same-origin"].contains(site)
        else { return try await next(request, context) }
        return Response(status: .forbidden)
    }
}

/// A middleware that rejects a request unless its host is an address, a loopback name or a name in `http.hosts`.
struct KnownHosts: RouterMiddleware {
    let rule: HostRule

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        guard rule.allows(request.head.authority) else {
            return Response(
                status: .misdirectedRequest, headers: [.contentType: "text/plain; charset=utf-8"],
                body: ResponseBody(
                    byteBuffer: ByteBuffer(string: "the requested host name is not in http.hosts\n")))
        }
        return try await next(request, context)
    }
}
