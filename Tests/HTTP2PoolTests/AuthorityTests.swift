import Foundations
import HTTP2Pool
import Testing

@Suite struct AuthorityTests {
    @Test(arguments: [
        ("api.push.apple.com", 443, "api.push.apple.com"), ("localhost", 8443, "localhost:8443"),
        ("::1", 443, "[::1]"), ("::1", 8443, "[::1]:8443"),
    ])
    func omitsDefaultPort(host: String, port: Int, authority: String) {
        #expect(Endpoint(host: host, port: port).authority == authority)
    }
}
