import APNSOutput
import APNSSimulator
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// Retirement of a credential, whose connections close and whose pushes are finished or returned.
@Suite struct RetirementTests {
    private func withFixture(
        streamLimit: Int = 100, retirementSeconds: Int64 = 1,
        _ body: (WireFixture, SimulatedAPNS) async throws -> Void
    ) async throws {
        let simulator = try await WireFixture.startedSimulator { $0.streamLimit = streamLimit }
        let fixture = try WireFixture(simulator) { $0.retirementSeconds = retirementSeconds }
        try fixture.register(at: simulator)
        fixture.output.credentialsChanged(to: ["1", "2"])
        try await body(fixture, simulator)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// Returns device tokens that the simulator answers after this number of milliseconds.
    private func slowTokens(_ count: Int, _ milliseconds: Int) -> [String] {
        let digits = String(milliseconds)
        return WireFixture.tokens(count, "de1ade1a" + String(repeating: "0", count: 4 - digits.count) + digits)
    }

    @Test func closesIdleConnectionsAtOnce() async throws {
        try await withFixture(retirementSeconds: 3_600) { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            #expect(await simulator.counters().openConnections == 1)
            fixture.output.credentialsChanged(to: ["2"])
            try await eventually("the connection closed") {
                await simulator.counters().openConnections == 0
            }
        }
    }

    @Test func finishesPushesThatCanBeSentInTime() async throws {
        try await withFixture(streamLimit: 50, retirementSeconds: 60) { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            try fixture.send(to: slowTokens(100, 200))
            try await eventually("pushes on the wire") { await simulator.counters().arrivals > 1 }
            fixture.output.credentialsChanged(to: ["2"])
            await fixture.recorder.wait(for: 101)
            #expect(fixture.tally == ["sent": 101])
            try await eventually("all connections closed") { await simulator.counters().openConnections == 0 }
        }
    }

    /// A campaign that would take minutes is not finished with the retired credential. Its pushes are returned and
    /// routed again.
    @Test func returnsPushesThatCannotBeSentInTime() async throws {
        try await withFixture(streamLimit: 5) { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            try fixture.send(to: slowTokens(1_000, 300))
            try await eventually("some pushes on the wire") { await simulator.counters().arrivals > 1 }
            fixture.output.credentialsChanged(to: ["2"])
            await fixture.recorder.wait(for: 1_001)
            #expect(Set(fixture.tally.keys) == ["sent", "returned"], "\(fixture.tally)")
            #expect(fixture.recorder.outcomes.count == 1_001 && fixture.surplusOutcomes == 0)
            try await eventually("all connections closed") { await simulator.counters().openConnections == 0 }
        }
    }

    @Test func returnsJobRoutedBeforeRetirementWithoutConnecting() async throws {
        try await withFixture { fixture, simulator async throws in
            fixture.output.credentialsChanged(to: ["2"])
            #expect(try await fixture.push() == "returned -")
            #expect(await simulator.counters().connections == 0)
            // The credential returns to use, for example when a missing master key is available again.
            fixture.output.credentialsChanged(to: ["1", "2"])
            #expect(try await fixture.push() == "sent -")
        }
    }

    /// Routing may use a new credential before the output is notified of it.
    @Test func sendsWithCredentialThatIsNotYetAnnounced() async throws {
        let simulator = try await WireFixture.startedSimulator()
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        fixture.output.credentialsChanged(to: ["2"])
        #expect(try await fixture.push() == "sent -")
        fixture.output.credentialsChanged(to: ["2", "3"])
        #expect(try await fixture.push() == "sent -")
        #expect(await simulator.counters().connections == 1)
        await fixture.output.shutDown()
        await simulator.stop()
    }
}
