import Foundations
import NIOCore
import PushModel
import Testing
import WebPushOutput
import WireTestSupport

/// Hostile endpoint URLs. Strangers choose endpoints, and none of these may reach a local listener.
@Suite struct HostileEndpointTests {
    private static func endpoints(_ port: Int) -> [String] {
        [
            "https://127.0.0.1:\(port)/", "https://[::1]:\(port)/", "https://[::ffff:127.0.0.1]:\(port)/",
            "https://localhost:\(port)/", "https://localhost:\(port)/../", "https://LOCALHOST:\(port)/",
            "https://2130706433:\(port)/", "https://0x7f000001:\(port)/", "https://0:\(port)/",
            "http://push.example.com:\(port)/", "https://push.example.com@localhost:\(port)/",
            "https://push.example.com:443@localhost:\(port)/", "https://push.example.com#@localhost:\(port)/",
            "https://push.example.com\\\\@localhost:\(port)/", "https://push.example.com:\(port)/",
            "https://push.example.com.evil.example:\(port)/", "https://evil-push.example.com/",
            "https://evilpush.example.com/", "https://a.b.example:\(port)/", "//localhost:\(port)/",
            "localhost:\(port)", "ftp://localhost:\(port)/",
        ] + ["localhost.", "127.1", "10.1"].map { "https://\($0):\(port)/" }
    }

    @Test func rejectsHostileEndpoints() async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { server in
            // Every name resolves to the local server.
            let sending = try Sending(
                to: [], authorityFile: server.authorityFile, allowing: ["push.example.com", "*.up.example.com"]
            ) { configuration in
                configuration.resolve = { _, _ in [try SocketAddress(ipAddress: "127.0.0.1", port: server.port)] }
            }
            let browsers = Self.endpoints(server.port).map { Browser(endpoint: $0) }
            let outcomes = await sending.send(try sending.job(browsers))
            #expect(outcomes.count == browsers.count)
            for outcome in outcomes {
                #expect(
                    outcome.verdict == .rejected && outcome.judge == .martlet,
                    "\(browsers[outcome.recipient].endpoint)")
                #expect(["BadEndpoint", "EndpointNotAllowed"].contains(outcome.reason))
            }
            #expect(server.connections == 0 && server.requests.isEmpty)
            await sending.output.shutDown()
        }
    }

    /// The name is allowed but resolves to a private address.
    @Test(arguments: [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1",
        "fe80::1", "fd00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
    ])
    func rejectsNamesOfPrivateAddresses(address: String) async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { server in
            let sending = try Sending(to: [], authorityFile: server.authorityFile, allowing: ["push.example.com"]) {
                $0.resolve = { _, _ in [try SocketAddress(ipAddress: address, port: server.port)] }
            }
            let outcomes = await sending.send(try sending.job([Browser(endpoint: "https://push.example.com/1")]))
            #expect(outcomes.map(\.verdict) == [.rejected] && outcomes.map(\.reason) == ["AddressNotAllowed"])
            let again = await sending.send(try sending.job([Browser(endpoint: "https://push.example.com/2")]))
            #expect(again.map(\.verdict) == [.rejected] && again.map(\.reason) == ["AddressNotAllowed"])
            #expect(server.connections == 0)
            await sending.output.shutDown()
        }
    }

    @Test func reportsRedirectsAndFollowsNone() async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { elsewhere in
            let there = "https://localhost:\(elsewhere.port)/x"
            try await ScriptedServer.with(answer: { _ in .init(status: 307, fields: ["location": there]) }) { server in
                let origins = [server, elsewhere].map { Endpoint(host: "localhost", port: $0.port) }
                let sending = try Sending(to: origins, authorityFile: try authorities([server, elsewhere]))
                let outcomes = await sending.send(try sending.job([Browser(endpoint: "https://\(origins[0])/1")]))
                #expect(outcomes.map(\.reason) == ["Redirected"])
                #expect(elsewhere.connections == 0)
                await sending.output.shutDown()
            }
        }
    }
}
