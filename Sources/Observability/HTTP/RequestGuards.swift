import HTTPServing
import NIOHTTP1

/// The rules that decide whether the status endpoints answer a request.
struct RequestGuards: Sendable {
    private let access: StatusAccess

    init(_ access: StatusAccess) {
        self.access = access
    }

    /// Headers of every response. They prevent the browser from doing more than displaying the page.
    static let fields: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// Returns the response to a request. Only GET and HEAD are allowed.
    func answer(_ request: HTTPRequest, _ route: () async -> HTTPResponse) async -> HTTPResponse {
        var response = HTTPResponse(.methodNotAllowed)
        if request.method == .GET || request.method == .HEAD {
            response = await route()
        } else {
            response.fields.add(name: "Allow", value: "GET, HEAD")
        }
        return response
    }

    /// Returns the refusal of a request that a browser sends for another site, or `nil` if the request is allowed.
    /// Browsers mark cross-origin requests in the header `Sec-Fetch-Site` (W3C, "Fetch Metadata"), but only those to
    /// trustworthy origins. The host name is also checked, because a site may point its own host name at this worker
    /// (DNS rebinding). It is checked only if the request has the header `Accept-Language`, as requests of browsers
    /// have, so that scrapers and probes may use any name.
    func refusalOfBrowser(_ request: HTTPRequest) -> HTTPResponse? {
        if let site = request.fields.first(name: "sec-fetch-site"), !["none", "same-origin"].contains(site) {
            return HTTPResponse(.forbidden)
        }
        return request.fields.contains(name: "accept-language") ? refusalOfHost(request) : nil
    }

    /// Returns the refusal of a request for the metrics, or `nil` if it is allowed.
    func refusalOfMetrics(_ request: HTTPRequest) -> HTTPResponse? {
        refusalOfBrowser(request) ?? refusalWithoutToken(request)
    }

    /// Returns the refusal of a request for the status page, or `nil` if it is allowed. The host must be an address, a
    /// loopback name or a name in `http.hosts`.
    func refusalOfPage(_ request: HTTPRequest) -> HTTPResponse? {
        refusalOfHost(request) ?? refusalWithoutToken(request)
    }

    private func refusalOfHost(_ request: HTTPRequest) -> HTTPResponse? {
        access.hosts.allows(request.authority)
            ? nil : HTTPResponse(.misdirectedRequest, line: "the requested host name is not in http.hosts")
    }

    private func refusalWithoutToken(_ request: HTTPRequest) -> HTTPResponse? {
        guard let token = access.token, !token.isShown(by: request.fields.first(name: "authorization")) else {
            return nil
        }
        var response = HTTPResponse(.unauthorized)
        response.fields.add(name: "WWW-Authenticate", value: "Basic realm=\"martlet\", charset=\"UTF-8\"")
        return response
    }
}
