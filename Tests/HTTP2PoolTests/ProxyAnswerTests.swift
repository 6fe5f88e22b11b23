import Foundations
import HTTP2Pool
import Testing

@Suite struct ProxyAnswerTests {
    @Test(
        arguments: [
            ("", .incomplete), ("HTT", .incomplete), ("HTTP/1.1 200 OK\r\n", .incomplete),
            ("HTTP/1.1 200 OK\r\n\r", .incomplete), ("HTTP/1.1 200 OK\r\n\r\n", .open(length: 19)),
            ("HTTP/1.0 200 Connection established\r\nVia: x\r\n\r\nTLS", .open(length: 47)),
            ("HTTP/1.1 204\r\n\r\n", .open(length: 16)),
            ("HTTP/1.1 407 Who?\r\nA: b\r\n\r\nbody", .refused(status: 407)),
            ("HTTP/1.1 301 M\r\n\r\n", .refused(status: 301)), ("HTTP/1.1 099 M\r\n\r\n", .unintelligible),
            ("HTTP/1.1 abc M\r\n\r\n", .unintelligible), ("HTTP/1.1x200 OK\r\n\r\n", .unintelligible),
            ("HTTP/1.\r\n\r\n", .unintelligible), ("HTTP/1.1\r\n\r\n", .unintelligible), ("HTTP/2", .unintelligible),
            ("SSH-2.0", .unintelligible), ("\r\n\r\n", .unintelligible),
        ] as [(String, ProxyAnswer)])
    func parsesResponseHeads(text: String, answer: ProxyAnswer) {
        #expect(ProxyAnswer(text.utf8) == answer)
    }

    @Test func rejectsOverlongHead() {
        let head = "HTTP/1.1 200 OK\r\nA: "
        let long = head + String(repeating: "x", count: ProxyAnswer.maximumLength - head.utf8.count)
        #expect(ProxyAnswer(long.dropLast().utf8) == .incomplete)
        #expect(ProxyAnswer(long.utf8) == .unintelligible)
    }
}

@Suite struct HTTPProxyTests {
    @Test(
        arguments: [
            ("http://proxy:3128", "proxy", 3128), ("http://proxy:3128/", "proxy", 3128),
            ("HTTP://user:pass@10.0.0.1:80", "10.0.0.1", 80), ("http://[::1]:8080", "::1", 8080),
        ])
    func readsValidURLs(url: String, host: String, port: Int) {
        #expect(HTTPProxy(url: url)?.endpoint == Endpoint(host: host, port: port))
    }

    @Test(
        arguments: [
            "", "proxy:3128", "http://proxy", "https://proxy:443", "socks5://proxy:1080", "http://proxy:0",
            "http://proxy:65536", "http://user@proxy:3128", "http://proxy:3128/path", "http://proxy:3128?a=b",
            "http://proxy:3128#a", "http://:3128", "http://us%3Aer:pass@proxy:3128", "http://a b:3128",
        ])
    func rejectsInvalidURLs(url: String) {
        #expect(HTTPProxy(url: url) == nil)
    }
}
