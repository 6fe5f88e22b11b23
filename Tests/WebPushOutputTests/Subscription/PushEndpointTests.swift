import Foundations
import Testing
import WebPushOutput

@Suite struct PushEndpointTests {
    @Test(
        arguments: [
            ("fcm.googleapis.com/fcm/send/a:b-c_d", "fcm.googleapis.com", 443, "/fcm/send/a:b-c_d"),
            ("FCM.GoogleAPIs.com:443/Fcm/?x=%2F%2f", "fcm.googleapis.com", 443, "/Fcm/?x=%2F%2f"),
            ("wns2-db5p.notify.windows.com/w/?token=BQ%3d", "wns2-db5p.notify.windows.com", 443, "/w/?token=BQ%3d"),
            ("push.example.com:8443/", "push.example.com", 8_443, "/"), ("localhost/x@y", "localhost", 443, "/x@y"),
            ("a.example//b/../c", "a.example", 443, "//b/../c"),
        ] as [(String, String, Int, String)])
    func parsesValidEndpoints(rest: String, host: String, port: Int, path: String) throws {
        for scheme in ["https", "HTTPS"] {
            let text = "\(scheme)://\(rest)"
            let endpoint = try PushEndpoint(text: text)
            #expect(endpoint.origin == Endpoint(host: host, port: port))
            #expect(String(decoding: Array(text.utf8)[endpoint.path], as: UTF8.self) == path)
        }
    }

    /// URLs that an attacker may try. Different parsers read many of them as different hosts.
    @Test(arguments: [
        "", "https://", "https:///", "https://a.example", "https://a.example?x", "http://a.example/", "a.example/x",
        "//a.example/x", "ftp://a.example/", "https:/a.example/x", "https:\\\\a.example/x", " https://a.example/",
        "https://a.example/x ", "https://a.example/x\n", "https://a.example/\u{7F}", "https://a.example/é",
        "https://a.example/#f", "https://a.example#@b.example/", "https://u@a.example/", "https://u:p@a.example/",
        "https://a.example\\@b.example/", "https://a.example\\.b.example/", "https://@a.example/",
        "https://a.example:/", "https://a.example:0/", "https://a.example:65536/", "https://a.example:443:443/",
        "https://a.example:+443/", "https://a.example:0443000/",
    ])
    func rejectsInvalidURLs(text: String) {
        #expect(throws: WebPushFault.badEndpoint, "\(text)") { try PushEndpoint(text: text) }
    }

    /// IP addresses in all notations, and invalid host names.
    @Test(arguments: [
        "127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "0x7f000001", "017700000001", "10.0.0.1:443", "[::1]",
        "[::ffff:10.0.0.1]", "[fe80::1%25eth0]", "169.254.169.254", "1.2.3.4.5", "a.example.0x7f", "a.example.",
        ".a.example", "a..example", "-a.example", "a-.example", "a_b.example", "%61.example", "a%2eexample",
        "a.example\t", "ａ.example", "\(String(repeating: "a", count: 64)).example",
        "\(String(repeating: "a.", count: 127))example",
    ])
    func rejectsAddressesAndInvalidHosts(host: String) {
        #expect(throws: WebPushFault.badEndpoint) { try PushEndpoint(text: "https://\(host)/x") }
    }

    @Test func limitsLengthTo2048Bytes() throws {
        let longest = "https://a.example/" + String(repeating: "x", count: 2_030)
        #expect(longest.utf8.count == 2_048)
        #expect(try PushEndpoint(text: longest).path.count == 2_031)
        #expect(throws: WebPushFault.badEndpoint) { try PushEndpoint(text: longest + "x") }
    }
}
