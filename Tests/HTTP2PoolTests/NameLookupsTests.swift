import Foundations
import Glibc
import HTTP2Pool
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// Lookups at a name server that does not answer for a while, together with other lookups.
@Suite struct NameLookupsTests {
    private final class Server: Sendable {
        let isOpen = Atomic(false)
        let asked = Mutex<[String]>([])

        func addresses(_ host: String, _ port: Int) throws -> [SocketAddress] {
            asked.withLock { $0.append(host) }
            while !isOpen.load(ordering: .relaxed) { usleep(10_000) }  // why: blocks, as getaddrinfo does
            return [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
        }
    }

    private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

    private func ask(
        _ lookups: NameLookups, _ host: String, _ resolve: @escaping PoolConfiguration.Resolver
    ) -> EventLoopFuture<[SocketAddress]> {
        lookups.addresses(of: Endpoint(host: host, port: 443), resolve: resolve, on: eventLoop)
    }

    @Test func limitsThreadsAndDelaysNoOtherLookups() async throws {
        let server = Server()
        let lookups = NameLookups()
        let slow = (0..<100).map { ask(lookups, "\($0).test", server.addresses) }
        try await eventually("all lookup threads busy") {
            server.asked.withLock { $0.count } == NameLookups.maximumThreads
        }
        let live = try SocketAddress(ipAddress: "127.0.0.1", port: 7)
        #expect(try await ask(NameLookups(), "other.test", { _, _ in [live] }).get() == [live])
        #expect(server.asked.withLock { $0.count } == NameLookups.maximumThreads)
        let last = ask(lookups, "last.test", server.addresses)
        server.isOpen.store(true, ordering: .relaxed)
        for one in slow + [last] { #expect(try await one.get().count == 1) }
        let asked = server.asked.withLock { $0 }
        #expect(asked.count == 101 && Set(asked).count == 101)
        let place = try #require(asked.firstIndex(of: "last.test"))
        #expect(place < 2 * NameLookups.maximumThreads, "a lookup must not wait behind lookups of other names")
    }
}
