import Foundations
import APNSOutput
import APNSSimulator
import Crypto
import NIOCore
import NIOPosix
import PushModel
import PushTestSupport
import Store
import Testing

/// Creation, use and deletion of broadcast channels, over TLS.
@Suite struct BroadcastChannelWireTests {
    private static let app = "com.example.shop"

    private func withChannels(
        limit: Int = 10_000, _ body: (WireFixture, BroadcastChannelClient, SimulatedAPNS) async throws -> Void
    ) async throws {
        let simulator = try await WireFixture.startedSimulator {
            $0.channelPort = 0
            $0.channelLimit = limit
        }
        let port = try #require(simulator.channelPort)
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        var configuration = APNSConfiguration(
            production: .init(host: "push.test", port: 1), channelsProduction: .init(host: "push.test", port: port),
            verifiesCertificates: false, connectTimeoutSeconds: 30)
        configuration.resolve = { _, port in [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
        let client = BroadcastChannelClient(
            credential: fixture.credential, environment: .production, configuration: configuration,
            tokens: LocalTokenStore(clock: { .now }), eventLoop: MultiThreadedEventLoopGroup.singleton.next())
        try await body(fixture, client, simulator)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    private func broadcast(_ fixture: WireFixture, to channel: String, _ members: String = "") async throws -> String {
        let before = fixture.recorder.outcomes.count
        try fixture.send(
            try Job.read(
                #"{"app":"\#(Self.app)","channel":"\#(channel)","payload":{"aps":{"event":"update","timestamp":1}}\#(members)}"#
            ))
        await fixture.recorder.wait(for: before + 1)
        return fixture.recorder.outcomes.dropFirst(before).map { "\($0.verdict) \($0.reason ?? "-")" }.joined()
    }

    @Test func createsUsesAndDeletesChannels() async throws {
        try await withChannels { fixture, client, simulator async throws in
            let kept = try await client.create(app: Self.app, storage: .mostRecent)
            let unkept = try await client.create(app: Self.app, storage: .none)
            #expect(try await client.list(app: Self.app) == [kept, unkept])
            #expect(try await client.storage(of: kept, app: Self.app) == .mostRecent)
            #expect(try await client.storage(of: unkept, app: Self.app) == .none)
            #expect(try await client.list(app: "com.example.other") == [])

            #expect(try await broadcast(fixture, to: kept) == "sent -")
            #expect(try await broadcast(fixture, to: kept, #","expires_at":4000000000"#) == "sent -")
            #expect(try await broadcast(fixture, to: unkept) == "sent -")
            #expect(
                try await broadcast(fixture, to: unkept, #","expires_at":4000000000"#) == "rejected BadExpirationDate")
            #expect(simulator.channels(of: Self.app).map(\.broadcasts) == [2, 1])
            #expect(fixture.recorder.outcomes.first?.providerID != nil)

            try await client.delete(kept, app: Self.app)
            #expect(try await client.list(app: Self.app) == [unkept])
            #expect(try await broadcast(fixture, to: kept) == "rejected ChannelNotRegistered")
            await #expect(throws: BroadcastChannelError.refused(status: 400, reason: "ChannelNotRegistered")) {
                try await client.delete(kept, app: Self.app)
            }
        }
    }

    @Test func reportsReasonsOfRefusedChannelRequests() async throws {
        try await withChannels(limit: 1) { fixture, client, simulator async throws in
            let channel = try #require(simulator.createChannel(of: Self.app)).id
            await #expect(throws: BroadcastChannelError.refused(status: 400, reason: "CannotCreateChannelConfig")) {
                _ = try await client.create(app: Self.app, storage: .none)
            }
            await #expect(throws: BroadcastChannelError.refused(status: 400, reason: "BadChannelId")) {
                _ = try await client.storage(of: "no base64!", app: Self.app)
            }
            await #expect(throws: BroadcastChannelError.refused(status: 400, reason: "TopicDisallowed")) {
                _ = try await client.list(app: Self.app + ".voip")
            }
            simulator.setBroadcasting(enabled: false, of: Self.app)
            await #expect(throws: BroadcastChannelError.refused(status: 400, reason: "FeatureNotEnabled")) {
                _ = try await client.list(app: Self.app)
            }
            #expect(try await broadcast(fixture, to: channel) == "hold FeatureNotEnabled")
            #expect(try await fixture.push() == "sent -", "pushes to devices must not be held")
        }
    }

    @Test func holdsBroadcastWhenKeyExcludesApp() async throws {
        try await withChannels { fixture, _, simulator async throws in
            let channel = try #require(simulator.createChannel(of: Self.app)).id
            try fixture.register(at: simulator, scope: TokenKey.Scope(topics: ["com.example.other"]))
            #expect(try await broadcast(fixture, to: channel) == "hold TopicMismatch")
        }
    }
}
