internal import Foundations
internal import HTTPServing
internal import NIOCore
internal import NIOHTTP1

/// A gate that admits only requests that are addressed to a name of this machine. It answers every error with
/// `{"error": …}`.
///
/// A web page can make its visitor's browser send requests to loopback. Such a request has a foreign host name that
/// resolves to loopback, or the `Origin` of the page.
struct ControlGate: Sendable {
    /// The maximum size of a request body, in bytes.
    static let longestBody = 1 << 20
    /// The accepted names and addresses, in lower case and without brackets.
    private let hosts: Set<String>
    private let refused: @Sendable (_ problem: String) -> Void

    /// Creates the gate.
    ///
    /// - Parameter refused: a callback for each refused request.
    init(configuration: ServerConfiguration, refused: @escaping @Sendable (_ problem: String) -> Void) {
        self.refused = refused
        hosts = Set(
            (["localhost", "127.0.0.1", "::1", configuration.host] + configuration.hostnames).map { $0.lowercased() })
    }

    /// Returns the response to a request.
    ///
    /// - Parameter route: a function that returns the response of a route, or `nil` if no route has the request's method
    ///   and path.
    func answer(
        _ request: HTTPRequest, _ route: (HTTPRequest) async throws -> HTTPResponse?
    ) async -> HTTPResponse {
        do {
            try check(request)
            guard request.body != nil else {
                throw Refusal(status: .payloadTooLarge, text: "body: more than \(Self.longestBody) bytes")
            }
            guard let response = try await route(request) else {
                throw Refusal(status: .notFound, text: "\(request.path): unknown path, or wrong method")
            }
            return response
        } catch let error as SimulatorError {
            return refuse(request, .badRequest, error.description)
        } catch let error as Refusal {
            return refuse(request, error.status, error.text)
        } catch {
            return refuse(request, .internalServerError, "\(error)")
        }
    }

    private struct Refusal: Error {
        let status: HTTPResponseStatus
        let text: String
    }

    private func check(_ request: HTTPRequest) throws {
        guard let host = request.authority.flatMap(Self.name), hosts.contains(host) else {
            throw Refusal(
                status: .forbidden,
                text: "Host: '\(request.authority ?? "")' is not a name of this machine; add it with --hostname")
        }
        for origin in request.fields["origin"] {
            let scheme = ["http://", "https://"].first(where: origin.hasPrefix)
            guard let scheme, let host = Self.name(String(origin.dropFirst(scheme.count))), hosts.contains(host) else {
                throw Refusal(status: .forbidden, text: "Origin: '\(origin)' may not use this endpoint")
            }
        }
    }

    /// Returns the host of `host:port` or `[::1]:port` in lower case. The port may be missing.
    private static func name(_ authority: String) -> String? {
        try? Endpoint(authority, defaultPort: 80).host.lowercased()
    }

    private func refuse(_ request: HTTPRequest, _ status: HTTPResponseStatus, _ text: String) -> HTTPResponse {
        refused("\(request.method.rawValue) \(request.path): \(status.code) \(text)")
        do {
            return HTTPResponse(status, "application/json", ByteBuffer(bytes: try ControlInput.json(["error": text])))
        } catch {
            return HTTPResponse(status, line: text)
        }
    }
}
