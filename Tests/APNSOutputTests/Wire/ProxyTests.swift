import APNSOutput
import APNSSimulator
import HTTP2Pool
import NIOCore
import PushTestSupport
import TestSupport
import Testing
import WireTestSupport

/// Pushes through a proxy that resolves the name itself.
@Suite struct ProxyTests {
    private func proxyURL(_ channel: any Channel, _ user: String = "") throws -> HTTPProxy {
        let port = try #require(channel.localAddress?.port)
        return try #require(HTTPProxy(url: "http://\(user)127.0.0.1:\(port)"))
    }

    @Test func sendsPushesThroughProxyTunnel() async throws {
        let simulator = try await WireFixture.startedSimulator()
        let proxy = TinyProxy(to: try SocketAddress(ipAddress: "127.0.0.1", port: simulator.port))
        let channel = try await proxy.start()
        let fixture = WireFixture([], proxy: try proxyURL(channel, "fred:p%40ss@"))
        try fixture.register(at: simulator)
        try fixture.send(to: WireFixture.tokens(20))
        await fixture.recorder.wait(for: 20)
        #expect(fixture.tally == ["sent": 20])
        // The credentials are the base64 of fred:p@ss. A slow machine may open a second connection.
        #expect(
            Set(proxy.requests) == [
                "CONNECT push.test:2197 HTTP/1.1\r\nHost: push.test:2197\r\n"
                    + "Proxy-Authorization: Basic ZnJlZDpwQHNz\r\n\r\n"
            ])
        await fixture.output.shutDown()
        try await channel.close()
        await simulator.stop()
    }

    /// The TLS library would compare the certificate with the address of the proxy, for which this certificate is
    /// valid.
    @Test func refusesToVerifyIPAddressBehindProxy() async throws {
        let server = try await ScriptedServer.start([])
        let proxy = TinyProxy(to: try SocketAddress(ipAddress: "127.0.0.1", port: server.port))
        let channel = try await proxy.start()
        let fixture = WireFixture(
            [], proxy: try proxyURL(channel), host: "192.0.2.1", verifies: true, authorityFile: server.authorityFile)
        try fixture.send(to: WireFixture.tokens(1))
        await fixture.recorder.wait(for: 1)
        #expect(fixture.tally == ["hold CredentialUnusable": 1])
        #expect(proxy.requests.isEmpty)
        await fixture.output.shutDown()
        try await channel.close()
        try await server.stop()
    }

    @Test(arguments: ["407 Proxy Authentication Required", "502 Bad Gateway", "banana"])
    func holdsPushesWhenProxyRefuses(answer: String) async throws {
        let proxy = TinyProxy(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), answer: answer)
        let channel = try await proxy.start()
        let fixture = WireFixture([], proxy: try proxyURL(channel))
        try fixture.send(to: WireFixture.tokens(1))
        await fixture.recorder.wait(for: 1)
        #expect(fixture.tally == ["hold ConnectionFailed": 1])
        #expect((1...2).contains(proxy.requests.count), "expected one or two CONNECT requests")
        #expect(!proxy.requests.joined().contains("Authorization"))
        await fixture.output.shutDown()
        try await channel.close()
    }
}
