import Foundations
import Testing

@Suite struct EndpointTests {
    @Test(arguments: [
        ("broker:5672", "broker", 5672), ("127.0.0.1:0", "127.0.0.1", 0), ("[::1]:65535", "::1", 65_535),
        ("[fe80::1%eth0]:80", "fe80::1%eth0", 80), ("[name]:1", "name", 1),
    ])
    func parsesAndPrintsEndpoint(text: String, host: String, port: Int) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint == Endpoint(host: host, port: port))
        #expect("\(endpoint)" == (text == "[name]:1" ? "name:1" : text))
    }

    @Test(arguments: [("broker", "broker"), ("[::1]", "::1")])
    func usesDefaultPortIfPortIsMissing(text: String, host: String) throws {
        #expect(try Endpoint(text, defaultPort: 7) == Endpoint(host: host, port: 7))
        #expect(throws: Endpoint.Fault.port) { try Endpoint(text) }
    }

    @Test(arguments: [
        ("[::1", Endpoint.Fault.noClosingBracket), ("a]b:1", .strayBracket), ("[a[b]:1", .strayBracket),
        ("[::1]x:1", .textAfterBracket),
        ("", .noHost), (":1", .noHost), ("[]:1", .noHost), ("::1", .noHost), ("a:", .port), ("a:b", .port),
        ("a:+1", .port), ("a:-1", .port), ("a:65536", .port), ("a:1:2", .port), ("[::1]:", .port), ("a: 1", .port),
    ])
    func reportsFaultOfInvalidEndpoint(text: String, fault: Endpoint.Fault) {
        #expect(throws: fault) { try Endpoint(text, defaultPort: 7) }
    }
}
