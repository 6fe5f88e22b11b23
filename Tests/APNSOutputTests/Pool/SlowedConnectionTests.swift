import APNSOutput
import APNSSimulator
import PushTestSupport
import TestSupport
import Testing

/// Connections that APNs limits to one stream after too many refusals.
@Suite struct SlowedConnectionTests {
    @Test func opensConnectionBesideSlowedConnection() async throws {
        let simulator = try await WireFixture.startedSimulator { $0.refusalsBeforeSlowing = 20 }
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        try fixture.send(to: WireFixture.tokens(4, "bad00400"))
        await fixture.recorder.wait(for: 4)
        #expect(try await fixture.push() == "sent -")
        // These pushes take a minute on one stream, and less than a second on 100 streams.
        try fixture.send(to: WireFixture.tokens(12_000, "de1ade1a0005"))
        // On a busy machine, the second connection may have been opened earlier.
        try await eventually("a second connection") { await simulator.counters().connections > 1 }
        await fixture.recorder.wait(for: 12_005)
        #expect(fixture.tally == ["sent": 12_001, "rejected BadDeviceToken": 4])
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
