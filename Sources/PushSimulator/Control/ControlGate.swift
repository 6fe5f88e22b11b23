internal import Hummingbird
internal import NIOCore

/// A middleware that admits only requests that are addressed to a name of this machine. It answers every error with
/// `{"error": …}`.
///
/// A web page can make its visitor's browser send requests to loopback. Such a request has a foreign host name that
/// resolves to loopback, or the `Origin` of the page.
struct ControlGate: RouterMiddleware {
    typealias Context = BasicRequestContext

    /// The maximum size of a request body, in bytes.
    static let longestBody = 1 << 20
    /// The accepted names and addresses, in lower case and without brackets.
    private let hosts: Set<String>
    private let refused: @Sendable (_ problem: String) -> Void

    /// Creates the middleware.
    ///
    /// - Parameter refused: a callback for each refused request.
    init(configuration: ServerConfiguration, refused: @escaping @Sendable (_ problem: String) -> Void) {
        self.refused = refused
        hosts = Set(
            (["localhost", "127.0.0.1", "::1", configuration.host] + configuration.hostnames).map { $0.lowercased() })
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            try check(request)
            return try await next(request, context)
        } catch let error as SimulatorError {
            return try refuse(request, .badRequest, error.description)
        } catch let error as Refusal {
            return try refuse(request, error.status, error.text)
        } catch let error as HTTPError {
            let text = error.status == .notFound ? "\(request.uri.path): unknown path, or wrong method" : nil
            return try refuse(request, error.status, text ?? error.body ?? error.status.reasonPhrase)
        } catch is NIOTooManyBytesError {
            return try refuse(request, .contentTooLarge, "body: more than \(Self.longestBody) bytes")
        }
    }

    private struct Refusal: Error {
        let status: HTTPResponse.Status
        let text: String
    }

    private func check(_ request: Request) throws {
        guard let host = request.head.authority.flatMap(Self.name), hosts.contains(host) else {
            throw Refusal(
                status: .forbidden,
                text: "Host: '\(request.head.authority ?? "")' is not a name of this machine; add it with --hostname")
        }
        guard let origin = request.headers[.origin] else { return }
        guard let scheme = origin.firstRange(of: "://"), let host = Self.name(String(origin[scheme.upperBound...])),
            hosts.contains(host)
        else { throw Refusal(status: .forbidden, text: "Origin: '\(origin)' may not use this endpoint") }
    }

    /// Returns the host of `host:port` or `[::1]:port`. The port may be missing.
    static func name(_ authority: String) -> String? {
        if authority.hasPrefix("[") {
            return authority.firstIndex(of: "]").map { authority[..<$0].dropFirst().lowercased() }
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count <= 2 ? parts.first?.lowercased() : nil
    }

    private func refuse(_ request: Request, _ status: HTTPResponse.Status, _ text: String) throws -> Response {
        refused("\(request.method.rawValue) \(request.uri.path): \(status.code) \(text)")
        var response = jsonResponse(try ControlInput.json(["error": text]))
        response.status = status
        return response
    }
}
