import HTTPServing
import NIOCore
import NIOHTTP1
import Testing

@Suite struct RouteTableTests {
    private func answer(_ method: HTTPMethod, _ target: String) async throws -> String? {
        var routes = RouteTable()
        for (method, path) in [
            (HTTPMethod.GET, "/"), (.GET, "status.json"), (.GET, "answers/tokens/:token"),
            (.PUT, "answers/tokens/:token"), (.GET, "answers/next"),
        ] {
            routes.add(method, path) { HTTPResponse(.ok, "text/plain", "\(method) \(path) \($0.parameter)") }
        }
        let head = HTTPRequestHead(version: .http1_0, method: method, uri: target)
        let request = try #require(HTTPRequest(head, body: nil))
        return try await routes.answer(to: request).map { String(buffer: $0.body) }
    }

    @Test(
        arguments: [
            (.GET, "/", "GET / "), (.GET, "/?a=b", "GET / "), (.HEAD, "/status.json", "GET status.json "),
            (.GET, "//status.json/", "GET status.json "), (.GET, "/Status.json", nil), (.POST, "/status.json", nil),
            (.GET, "/answers/tokens/00%2fAA", "GET answers/tokens/:token 00%2fAA"),
            (.PUT, "/answers/tokens/a?x=/b", "PUT answers/tokens/:token a"), (.DELETE, "/answers/tokens/a", nil),
            (.GET, "/answers/tokens", nil), (.GET, "/answers/tokens/a/b", nil),
            (.GET, "/answers/next", "GET answers/next "),
        ] as [(HTTPMethod, String, String?)])
    func findsRouteByMethodAndPath(method: HTTPMethod, target: String, expected: String?) async throws {
        #expect(try await answer(method, target) == expected)
    }

    @Test(
        arguments: [
            ("/?token=a%2Fb&x", "token", "a/b"), ("/?x&token=", "token", ""), ("/?x&token=1", "x", ""),
            ("/?tok=1", "token", nil), ("/", "token", nil),
            ("/?token=a=b&token=c", "token", "a=b"), ("/?token=%", "token", "%"),
        ] as [(String, String, String?)])
    func readsQuery(target: String, name: String, value: String?) throws {
        let head = HTTPRequestHead(version: .http1_0, method: .GET, uri: target)
        #expect(try #require(HTTPRequest(head, body: nil)).queryValue(name) == value)
    }
}
