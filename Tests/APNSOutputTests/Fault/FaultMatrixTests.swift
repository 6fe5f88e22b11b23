import APNSOutput
import APNSSimulator
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// Faults of networks and servers, over TLS. In each case every push ends in exactly one outcome, and no push that may
/// have been accepted arrives twice.
@Suite struct FaultMatrixTests {
    private func withFixture(
        streamLimit: Int = 1_000, _ change: (inout APNSConfiguration) -> Void = { _ in },
        _ body: (WireFixture, SimulatedAPNS) async throws -> Void
    ) async throws {
        let simulator = try await WireFixture.startedSimulator { $0.streamLimit = streamLimit }
        let fixture = try WireFixture(simulator, change)
        try fixture.register(at: simulator)
        try await body(fixture, simulator)
        #expect(fixture.surplusOutcomes == 0)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func resendsPushesOfRefusedStreams() async throws {
        try await withFixture { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            simulator.refuseStreams(600)
            try fixture.send(to: WireFixture.tokens(1_000, "0a"))
            await fixture.recorder.wait(for: 1_001)
            #expect(fixture.tally == ["sent": 1_001])
            #expect(await simulator.counters().refusedStreams == 600)
            #expect(simulator.recordedArrivals.count == 1_001)
            #expect(simulator.recordedArrivals.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func retriesPushLaterAfterSixRefusedStreams() async throws {
        try await withFixture { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            simulator.refuseStreams(.max)
            try fixture.send(to: WireFixture.tokens(50, "0a"))
            await fixture.recorder.wait(for: 51)
            #expect(fixture.tally["retry StreamRefused"] == 50)
            #expect(await simulator.counters().refusedStreams == 50 * 6, "the output must try each push six times")
            #expect(await simulator.counters().arrivals == 1)
        }
    }

    @Test func reportsWrittenPushesUnknownWhenConnectionIsCut() async throws {
        try await withFixture { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            try fixture.send(to: WireFixture.tokens(200, "de1ade1a5000"))
            try await eventually("all pushes on the wire") { await simulator.counters().arrivals == 201 }
            await simulator.cutConnections()
            await fixture.recorder.wait(for: 201)
            #expect(fixture.tally["unknown ConnectionLost"] == 200)
            #expect(simulator.recordedArrivals.count == 201)
            #expect(simulator.recordedArrivals.values.allSatisfy { $0 == 1 }, "only the pipeline may retry")
            try await eventually("the next push sent") { try await fixture.push("0b") == "sent -" }
        }
    }

    @Test func timesOutRequestsThatServerNeverAnswers() async throws {
        try await withFixture {
            $0.requestTimeoutSeconds = 15
        } _: { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            var faults = StandingFaults()
            faults.silence = .answers
            await simulator.setFaults(faults)
            try fixture.send(to: WireFixture.tokens(100, "0a"))
            await fixture.recorder.wait(for: 101)
            #expect(fixture.tally["unknown RequestTimeout"] == 100)
            #expect(simulator.recordedArrivals.values.allSatisfy { $0 == 1 })
            await simulator.setFaults(StandingFaults())
            try await eventually("the next push sent") { try await fixture.push("0b") == "sent -" }
        }
    }

    @Test func timesOutRequestsOfFrozenServerAndHoldsNextPush() async throws {
        try await withFixture {
            $0.requestTimeoutSeconds = 15
            $0.connectTimeoutSeconds = 15
        } _: { fixture, simulator async throws in
            #expect(try await fixture.push() == "sent -")
            var faults = StandingFaults()
            faults.silence = .all
            await simulator.setFaults(faults)
            try fixture.send(to: WireFixture.tokens(100, "0a"))
            await fixture.recorder.wait(for: 101)
            #expect(fixture.tally["unknown RequestTimeout"] == 100)
            // The server has answered nothing since these requests were sent, so the next push is held without an
            // attempt.
            #expect(try await fixture.push("0b") == "hold NoAnswer")
            await simulator.setFaults(StandingFaults())
            try await eventually("the next push sent") { try await fixture.push("0b") == "sent -" }
        }
    }

    @Test func reconnectsAfterServerRestart() async throws {
        try await withFixture { fixture, simulator async throws in
            try fixture.send(to: WireFixture.tokens(100, "0a"))
            await fixture.recorder.wait(for: 100)
            let port = simulator.port
            await simulator.stop()
            try await eventually("a push held because of the lost connection") {
                try await fixture.push("0b") == "hold ConnectionFailed"
            }
            try await simulator.start()
            #expect(simulator.port == port)
            try await eventually("the next push sent") { try await fixture.push("0c") == "sent -" }
            #expect(simulator.recordedArrivals.values.allSatisfy { $0 == 1 })
            #expect(fixture.tally["sent"] == 101)
        }
    }

    @Test func waitsForDelayedWindowUpdates() async throws {
        let simulator = try await WireFixture.startedSimulator()
        var faults = StandingFaults()
        faults.windowDelayMilliseconds = 20
        await simulator.setFaults(faults)
        let fixture = try WireFixture(simulator) { $0.maximumConnections = 2 }
        try fixture.register(at: simulator)
        try fixture.send(to: WireFixture.tokens(300, "0a"), payloadBytes: 4_000)
        await fixture.recorder.wait(for: 300)
        #expect(fixture.tally == ["sent": 300])
        #expect(simulator.recordedArrivals.values.allSatisfy { $0 == 1 })
        // A window of 65,535 bytes holds 16 bodies and the beginning of another body.
        #expect(await simulator.counters().mostOpenStreams <= 18)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func retriesPushesOn503WithoutNewConnections() async throws {
        try await withFixture { fixture, simulator async throws in
            var faults = StandingFaults()
            faults.answer = PlannedAnswer(.serviceUnavailable)
            await simulator.setFaults(faults)
            try fixture.send(to: WireFixture.tokens(100, "0a"))
            await fixture.recorder.wait(for: 100)
            #expect(fixture.tally == ["retry ServiceUnavailable": 100])
            await simulator.setFaults(StandingFaults())
            #expect(try await fixture.push("0b") == "sent -")
            // On a busy machine, a late answer may open a second connection.
            #expect(await simulator.counters().connections <= 2, "a 503 must not open connections")
        }
    }

    /// The server allows no streams. Waiting pushes are held, so that they do not occupy capacity that other jobs need.
    @Test func holdsPushesWhileServerAllowsNoStreams() async throws {
        try await withFixture(streamLimit: 0) {
            $0.silenceMilliseconds = 10_000
        } _: { fixture, simulator async throws in
            try fixture.send(to: WireFixture.tokens(20, "0a"))
            await fixture.recorder.wait(for: 20)
            // A new connection may send one push before the limit arrives.
            let arrivals = await simulator.counters().arrivals
            #expect(arrivals <= (await simulator.counters().connections))
            #expect(fixture.tally["hold NoAnswer"] == 20 - arrivals)
        }
    }
}
