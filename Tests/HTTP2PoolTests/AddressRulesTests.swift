import Foundations
import HTTP2Pool
import NIOCore
import NIOPosix
import TestSupport
import Testing
import WireTestSupport

@Suite struct AddressRulesTests {
    /// The first and last address of each network that is not public, and the public addresses next to them.
    static let boundaries: [(before: String?, first: String, last: String, after: String?)] = [
        (nil, "0.0.0.0", "0.255.255.255", "1.0.0.0"),
        ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
        ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
        ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
        ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
        ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
        ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
        ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
        ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
        ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
        ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
        ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
        ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
        ("223.255.255.255", "224.0.0.0", "239.255.255.255", nil),
        (nil, "240.0.0.0", "255.255.255.255", nil),
        (nil, "::", "::1", nil),
        (nil, "::2", "::ffff:ffff", nil),
        (nil, "::ffff:0.0.0.0", "::ffff:255.255.255.255", nil),
        (nil, "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", nil),
        (nil, "64:ff9b::", "64:ff9b::ffff:ffff", nil),
        (nil, "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", nil),
        (nil, "100::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"),
        ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", nil),
        (nil, "2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"),
        (
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db9::"
        ),
        ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"),
        ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"),
        ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
        (nil, "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
        (nil, "fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
        (nil, "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
        (nil, "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
        (nil, "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
    ]

    @Test(arguments: boundaries)
    func separatesPublicFromOtherNetworks(before: String?, first: String, last: String, after: String?) throws {
        for text in [before, after].compactMap(\.self) {
            let address = try SocketAddress(ipAddress: text, port: 443)
            #expect(AddressRules.isPublic(address), "\(text) is for \(AddressRules.purpose(of: address) ?? "-")")
        }
        for text in [first, last] {
            #expect(!AddressRules.isPublic(try SocketAddress(ipAddress: text, port: 443)), "\(text)")
        }
    }

    @Test(arguments: [
        ("127.0.0.1", "loopback (127.0.0.0/8)"), ("::1", "loopback (::1)"), ("::", "the unspecified address (::)"),
        ("::ffff:1.1.1.1", "IPv4 in IPv6 (::ffff:0:0/96)"), ("::7f00:1", "IPv4 in IPv6 (::/96)"),
        ("64:ff9b::a00:1", "IPv4 in IPv6 (64:ff9b::/96)"), ("2001::1", "IPv6 in IPv4 (2001::/32)"),
        ("169.254.169.254", "the local link (169.254.0.0/16)"), ("fd00:ec2::254", "private networks (fc00::/7)"),
        ("4000::1", "future use"),
    ])
    func returnsPurposeOfAddress(address: String, purpose: String) throws {
        #expect(AddressRules.purpose(of: try SocketAddress(ipAddress: address, port: 0)) == purpose)
    }

    @Test func treatsUnixSocketsAsNotPublic() throws {
        #expect(!AddressRules.isPublic(try SocketAddress(unixDomainSocketPath: "/run/postgresql")))
    }

    @Test(arguments: ["public.test", "127.0.0.1"]) func doesNotConnectToForbiddenAddress(host: String) async throws {
        let server = TestServer()
        let address = try await server.start()
        let fixture = try PoolFixture(at: address, requests: 1) {
            $0.endpoint = .init(host: host, port: address.port ?? 0)
            $0.allowsAddress = AddressRules.isPublic
        }
        try await fixture.start()
        try await eventually("an error reported") { try await !fixture.look { $0.errors.isEmpty } }
        #expect(
            try await fixture.look { $0.errors.first } == """
                \(host) has the address 127.0.0.1, which is not allowed: it is reserved for loopback (127.0.0.0/8)
                """)
        #expect(try await server.withConnections { $0.count } == 0)
        #expect(try await fixture.look { $0.waiting } == 1, "the request must still wait")
        try await fixture.close()
        try await server.stop()
    }

    @Test func connectsOnlyToAllowedAddress() async throws {
        let allowed = TestServer()
        let refused = TestServer()
        let good = try await allowed.start()
        let bad = try await refused.start()
        for _ in 0..<10 {
            let fixture = try PoolFixture(at: good, requests: 1) {
                $0.resolve = { _, _ in [bad, good] }
                $0.allowsAddress = { $0 == good }
            }
            try await fixture.start()
            try await eventually("the request answered") { try await fixture.look { $0.ends } == ["200": 1] }
            try await fixture.close()
        }
        #expect(try await refused.withConnections { $0.count } == 0)
        try await allowed.stop()
        try await refused.stop()
    }
}
