import APNSOutput
import APNSSimulator
import Glibc
import NIOCore
import NIOPosix
import PushModel
import PushTestSupport
import TestSupport
import Testing
import Foundations

/// A name server that does not answer for a while.
@Suite struct NameLookupTests {
    private final class Server: Sendable {
        let isOpen = Mutex(false)
        let asked = Mutex(0)
    }

    @Test func keepsOtherWorkRunningWhileNameLookupHangs() async throws {
        let simulator = try await WireFixture.startedSimulator()
        let live = try SocketAddress(ipAddress: "127.0.0.1", port: simulator.port)
        let server = Server()
        let resolve: @Sendable (String, Int) throws -> [SocketAddress] = { _, _ in
            server.asked.withLock { $0 += 1 }
            while !server.isOpen.withLock({ $0 }) { usleep(10_000) }  // why: blocks, as getaddrinfo does
            return [live]
        }
        let fixture = WireFixture([]) {
            $0.connectTimeoutSeconds = 1
            $0.resolve = resolve
        }
        try fixture.register(at: simulator)
        // Each credential has its own connection pool. There are more connection pools than threads in NIO's pool.
        for number in 2..<22 {
            let credential = Credential(
                id: "\(number)", kind: fixture.credential.kind, account: WireFixture.team, environments: [.production])
            fixture.output.send(RoutedJob(try .sample(), credential: credential), reportingTo: fixture.recorder)
        }
        await fixture.recorder.wait(for: 20)
        #expect(fixture.tally == ["hold ConnectionFailed": 20])
        #expect(server.asked.withLock { $0 } == 1, "all pools must wait for the same lookup")

        // The lookup does not block NIO's thread pool.
        let other = try await NIOThreadPool.singleton.runIfActive { 7 }
        #expect(other == 7)

        server.isOpen.withLock { $0 = true }
        try await eventually("a push sent: \(fixture.tally)") { try await fixture.push() == "sent -" }
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
