import Foundations
import APNSOutput
import APNSSimulator
import HTTP2Pool
import NIOCore
import NIOPosix
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// Connections to a name with several addresses.
@Suite struct AddressTests {
    /// Starts a server that accepts connections and never answers.
    private func blackHole() async throws -> (any Channel, SocketAddress) {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        return (channel, try #require(channel.localAddress))
    }

    @Test func triesNextAddressAtOnce() async throws {
        let refusing = try RefusingPort()
        let (hole, silent) = try await blackHole()
        let simulator = try await WireFixture.startedSimulator()
        let live = try SocketAddress(ipAddress: "127.0.0.1", port: simulator.port)
        let dead = try SocketAddress(ipAddress: "127.0.0.1", port: refusing.port)
        let fixture = WireFixture([dead, silent, live], maximumConnections: 1) { $0.connectTimeoutSeconds = 10 }
        try fixture.register(at: simulator)
        try fixture.send(to: WireFixture.tokens(10))
        await fixture.recorder.wait(for: 10)
        #expect(fixture.tally == ["sent": 10], "no push may be held while addresses are tried")
        await fixture.output.shutDown()
        await simulator.stop()
        try await hole.close()
    }

    @Test func spreadsConnectionsOverAddresses() async throws {
        var simulators: [SimulatedAPNS] = []
        for _ in 0..<3 { simulators.append(try await WireFixture.startedSimulator { $0.streamLimit = 2 }) }
        let addresses = try simulators.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0.port) }
        let fixture = WireFixture(addresses, maximumConnections: 6)
        for simulator in simulators { try fixture.register(at: simulator) }
        let pushes = 400
        try fixture.send(to: WireFixture.tokens(pushes, "de1ade1a0100"))
        var counts: [Int] = []
        try await eventually("six open connections: \(counts)") {
            counts = []
            for simulator in simulators { counts.append(await simulator.counters().openConnections) }
            return counts.reduce(0, +) == 6
        }
        #expect(counts == [2, 2, 2])
        await fixture.recorder.wait(for: pushes)
        #expect(fixture.tally == ["sent": pushes])
        await fixture.output.shutDown()
        for simulator in simulators { await simulator.stop() }
    }

    @Test func holdsPushesWhenNoAddressAccepts() async throws {
        let refusing = try RefusingPort()
        let dead = try SocketAddress(ipAddress: "127.0.0.1", port: refusing.port)
        for addresses in [[dead, dead], []] {
            let fixture = WireFixture(addresses)
            try fixture.send(to: WireFixture.tokens(3))
            await fixture.recorder.wait(for: 3)
            #expect(fixture.tally == ["hold ConnectionFailed": 3])
            await fixture.output.shutDown()
        }
    }

    @Test func resolvesLocalhostThroughSystem() throws {
        let addresses = try SystemResolver.addresses(host: "localhost", port: 2197)
        #expect(addresses.contains(try SocketAddress(ipAddress: "127.0.0.1", port: 2197)), "\(addresses)")
        #expect(Set(addresses).count == addresses.count)
        #expect(throws: ConnectError.self) { try SystemResolver.addresses(host: "no-such.invalid", port: 1) }
    }

    @Test func refusesUntrustedCertificateAndUnverifiedAppleHost() async throws {
        let simulator = try await WireFixture.startedSimulator()
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: simulator.port)
        let fixture = WireFixture([address], verifies: true)
        try fixture.register(at: simulator)
        try fixture.send(to: WireFixture.tokens(1))
        await fixture.recorder.wait(for: 1)
        #expect(fixture.tally == ["hold ConnectionFailed": 1])
        await fixture.output.shutDown()

        let apple = WireFixture([address], host: "api.push.apple.com")
        try apple.send(to: WireFixture.tokens(1))
        #expect(apple.tally == ["hold CredentialUnusable": 1], "verification cannot be turned off for Apple's hosts")
        await simulator.stop()
    }

    @Test(
        arguments: [
            ("api.push.apple.com", true), ("API.Push.Apple.COM.", true), ("push.apple.com", true),
            ("api-manage-broadcast.sandbox.push.apple.com", true), ("push.apple.com.example.com", false),
            ("notpush.apple.com", false), ("127.0.0.1", false), ("", false),
        ])
    func recognizesHostsOfApple(host: String, isApple: Bool) {
        #expect(Endpoint(host: host, port: 443).isApple == isApple)
    }
}
