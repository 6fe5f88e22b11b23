package import NIOHTTP1

/// The routes of a server, each with a method, a path and a function that answers requests.
package struct RouteTable: Sendable {
    package typealias Answer = @Sendable (HTTPRequest) async throws -> HTTPResponse

    private struct Route: Sendable {
        let method: HTTPMethod
        let parts: [Substring]
        let answer: Answer

        /// Returns the value of the route's parameter, an empty text if the route has none, or `nil` if the path is
        /// not that of the route.
        func parameter(in path: [Substring]) -> Substring? {
            guard path.count == parts.count else { return nil }
            var parameter: Substring = ""
            for (part, written) in zip(parts, path) {
                if part.hasPrefix(":") {
                    parameter = written
                } else if part != written {
                    return nil
                }
            }
            return parameter
        }
    }

    private var routes: [Route] = []

    package init() {}

    /// Adds a route. A route for GET also answers HEAD.
    ///
    /// - Parameter path: the path, without a slash at its start. A part that begins with a colon is a parameter, which
    ///   matches any text. A path may have one parameter.
    package mutating func add(_ method: HTTPMethod, _ path: String, _ answer: @escaping Answer) {
        routes.append(Route(method: method, parts: path.split(separator: "/"), answer: answer))
    }

    /// Returns the response of the route that has the request's method and path, or `nil` if there is none.
    ///
    /// - Throws: the error of the route.
    package func answer(to request: HTTPRequest) async throws -> HTTPResponse? {
        let (method, parts) = (request.method == .HEAD ? .GET : request.method, request.parts)
        for route in routes where route.method == method {
            guard let parameter = route.parameter(in: parts) else { continue }
            var request = request
            request.parameter = String(parameter)
            return try await route.answer(request)
        }
        return nil
    }
}
