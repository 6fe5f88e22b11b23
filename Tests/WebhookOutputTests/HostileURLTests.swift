import Foundations
import HTTP2Pool
import NIOCore
import PushModel
import Testing
import WebhookOutput
import WireTestSupport

/// Hostile receiver URLs that lead into the private network. None of them may reach a local server.
@Suite struct HostileURLTests {
    private static let names: [String: [String]] = [
        "public.test": ["127.0.0.1"], "two.test": ["127.0.0.1", "10.0.0.1"], "mapped.test": ["::ffff:127.0.0.1"],
        "six.test": ["::1"], "zero.test": ["0.0.0.0"], "any.test": ["::"], "embedded.test": ["64:ff9b::7f00:1"],
        "compatible.test": ["::7f00:1"],
    ]

    /// The URLs, with a space in place of `://` and `PORT` in place of the server's port.
    static let urls = [
        "https localhost:PORT/", "https LOCALHOST:PORT/", "https 127.0.0.1:PORT/", "https 127.0.0.2:PORT/",
        "https 0.0.0.0:PORT/", "https [::1]:PORT/", "https [::]:PORT/", "https [::ffff:127.0.0.1]:PORT/",
        "https [::127.0.0.1]:PORT/", "https [64:ff9b::127.0.0.1]:PORT/", "https [0:0:0:0:0:0:0:1]:PORT/",
        "https 127.1:PORT/", "https 2130706433:PORT/", "https 0x7f000001:PORT/", "https 0177.0.0.1:PORT/",
        "https localhost.:PORT/", "https public.test@127.0.0.1:PORT/", "https 127.0.0.1:PORT@public.test/",
        "https public.test\\\\@127.0.0.1:PORT/", "https public.test#@127.0.0.1:PORT/", "https public.test:PORT/",
        "https PUBLIC.test:PORT/", "https two.test:PORT/", "https mapped.test:PORT/", "https six.test:PORT/",
        "https zero.test:PORT/", "https any.test:PORT/", "https embedded.test:PORT/",
        "https compatible.test:PORT/", "http public.test:PORT/", "http 127.0.0.1:PORT/", "http localhost:PORT/",
        "https 169.254.169.254/latest/meta-data/", "https named.test.public.test:PORT/",
        "https xnamed.test:PORT/",
    ]

    @Test(arguments: urls) func holdsJobsWithHostileURLs(url: String) async throws {
        try await HTTP1Server.with(protocols: nil) { _ in
            .answer(200, #"{"outcomes":[]}"#)
        } _: { server in
            let port = server.port
            let fixture = try WebhookFixture(
                url: url.replacing(" ", with: "://").replacing("PORT", with: "\(port)"),
                privateHosts: [Endpoint(host: "named.test", port: port), Endpoint(host: "localhost", port: port + 1)]
            ) { configuration in
                configuration.connectTimeoutSeconds = 2
                configuration.resolve = { host, port in
                    guard let addresses = Self.names[host] else {
                        if host.hasSuffix(".test") { return [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
                        return try SystemResolver.addresses(host: host, port: port)
                    }
                    return try addresses.map { try SocketAddress(ipAddress: $0, port: port) }
                }
            }
            let outcomes = try await fixture.send(["a"])
            #expect(server.connections == 0)
            #expect(outcomes.count == 1)
            #expect(
                outcomes.allSatisfy {
                    $0.verdict == .hold && ["AddressNotAllowed", "CredentialUnusable"].contains($0.reason)
                }, "\(outcomes.map(\.line))")
            await fixture.output.shutDown()
        }
    }

    /// The operator allows this private host, but a redirect from it must not lead to another host.
    @Test(arguments: [301, 302, 303, 307, 308]) func retriesWithoutFollowingRedirects(status: Int) async throws {
        try await HTTP1Server.with(protocols: nil) { _ in
            .answer(200, #"{"outcomes":[]}"#)
        } _: { canary in
            let location = "location: http://localhost:\(canary.port)/"
            try await HTTP1Server.with(protocols: nil) { _ in
                .answer(status, fields: [location])
            } _: { server in
                let fixture = try WebhookFixture(url: "http://localhost:\(server.port)/")
                #expect(try await fixture.send(["a"]).map(\.verdict) == [.retry])
                #expect(server.connections == 1)
                #expect(canary.connections == 0)
                await fixture.output.shutDown()
            }
        }
    }
}
