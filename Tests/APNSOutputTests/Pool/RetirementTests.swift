import APNSOutput
import APNSSimulator
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// What becomes of a credential's connections and of its pushes when it goes out of use.
@Suite struct RetirementTests {
    private func withFixture(
        streamLimit: Int = 100, retirementSeconds: Int64 = 1,
        _ body: (WireFixture, APNSSimulator) async throws -> Void
    ) async throws {
        let simulator = try await WireFixture.startedSimulator { $0.streamLimit = streamLimit }
        let fixture = try WireFixture(simulator) { $0.retirementSeconds = retirementSeconds }
        try fixture.register(at: simulator)
        fixture.output.credentialsChanged(to: ["1", "2"])
        try await body(fixture, simulator)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    /// Device tokens whose answer takes so many milliseconds.
    private func slowTokens(_ count: Int, _ milliseconds: Int) -> [String] {
        let digits = String(milliseconds)
        return WireFixture.tokens(count, "de1ade1a" + String(repeating: "0", count: 4 - digits.count) + digits)
    }

    @Test func idleConnectionsAreClosedAtOnce() async throws {
        try await withFixture(retirementSeconds: 3_600) { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            #expect(await simulator.counters().openConnections == 1)
            fixture.output.credentialsChanged(to: ["2"])
            try await eventually("it is closed") {
                await simulator.counters().openConnections == 0
            }
        }
    }

    @Test func whatIsOnTheWireAndSoonSentIsFinished() async throws {
        try await withFixture(streamLimit: 50, retirementSeconds: 60) { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            try fixture.send(to: slowTokens(100, 200))
            try await eventually("they are on the wire") { await simulator.counters().arrivals > 1 }
            fixture.output.credentialsChanged(to: ["2"])
            await fixture.recorder.wait(for: 101, atMost: .seconds(60))
            #expect(fixture.tally == ["sent": 101])
            try await eventually("closed") { await simulator.counters().openConnections == 0 }
        }
    }

    /// A campaign of minutes is not finished with a retired credential.
    @Test func whatWouldTakeLongGoesBackToBeRoutedAnew() async throws {
        try await withFixture(streamLimit: 5) { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            try fixture.send(to: slowTokens(1_000, 300))
            try await eventually("some are on the wire") { await simulator.counters().arrivals > 1 }
            fixture.output.credentialsChanged(to: ["2"])
            await fixture.recorder.wait(for: 1_001, atMost: .seconds(60))
            #expect(Set(fixture.tally.keys) == ["sent", "returned"], "\(fixture.tally)")
            #expect(fixture.recorder.outcomes.count == 1_001 && fixture.surplusOutcomes == 0)
            try await eventually("closed") { await simulator.counters().openConnections == 0 }
        }
    }

    @Test func aJobThatWasRoutedBeforeOpensNothing() async throws {
        try await withFixture { fixture, simulator async throws in
            fixture.output.credentialsChanged(to: ["2"])
            #expect(try await fixture.push() == "returned -")
            #expect(await simulator.counters().connections == 0)
            // Taken back into use, as after a master key was missing.
            fixture.output.credentialsChanged(to: ["1", "2"])
            #expect(try await fixture.push() == "sent -")
        }
    }

    /// Routing may see a snapshot before the output hears of it.
    @Test func aCredentialNotHeardOfYetIsUsed() async throws {
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
