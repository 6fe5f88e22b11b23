import APNSOutput
import APNSSimulator
import PushTestSupport
import TestSupport
import Testing

/// Too many refusals, and APNs allows one stream on that connection from then on.
@Suite struct SlowedConnectionTests {
    @Test func anotherConnectionIsOpenedBesideIt() async throws {
        let simulator = try await WireFixture.startedSimulator { $0.refusalsBeforeSlowing = 20 }
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        try fixture.send(to: WireFixture.tokens(4, "bad00400"))
        await fixture.recorder.wait(for: 4, atMost: .seconds(60))
        #expect(try await fixture.push() == "sent -")
        // A minute of work for one stream, nothing for a hundred.
        try fixture.send(to: WireFixture.tokens(12_000, "de1ade1a0005"))
        // On a busy machine it may have been opened before.
        try await eventually("another connection") { await simulator.counters().connections > 1 }
        await fixture.recorder.wait(for: 12_005, atMost: .seconds(60))
        #expect(fixture.tally == ["sent": 12_001, "rejected BadDeviceToken": 4])
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
