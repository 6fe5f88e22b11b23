import Foundations
import APNSOutput
import APNSSimulator
import NIOCore
import PushModel
import PushTestSupport
import TestSupport
import Testing

/// Faults that recur while thousands of pushes are in flight.
@Suite struct LoadTests {
    private static let pushes = 3_000

    /// Sends pushes to a slow simulator, and runs `fault` each time another 300 pushes have arrived.
    private func underLoad(
        rounds: Int, _ fault: (SimulatedAPNS) async -> Void, _ check: (WireFixture, SimulatedAPNS) async throws -> Void
    ) async throws {
        let simulator = try await WireFixture.startedSimulator { $0.streamLimit = 100 }
        let fixture = try WireFixture(simulator)
        try fixture.register(at: simulator)
        #expect(try await fixture.push() == "sent -")
        var faults = StandingFaults()
        faults.answerDelayMilliseconds = 200
        await simulator.setFaults(faults)
        try fixture.send(to: WireFixture.tokens(Self.pushes, "0a"))
        for round in 1...rounds {
            try await eventually("arrivals of round \(round): \(await simulator.counters())") {
                await simulator.counters().arrivals > round * 300
            }
            #expect(fixture.recorder.outcomes.count < Self.pushes, "all pushes ended before the fault")
            await fault(simulator)
        }
        await fixture.recorder.wait(for: Self.pushes + 1)
        #expect(fixture.recorder.outcomes.count == Self.pushes + 1, "\(fixture.tally)")
        #expect(fixture.surplusOutcomes == 0)
        try await check(fixture, simulator)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test(arguments: [false, true])
    func losesAndDuplicatesNothingOnGoAwayUnderLoad(twoSteps: Bool) async throws {
        try await underLoad(rounds: 5) { simulator in
            await simulator.sendGoAway(GoAwayFault(announcesFirst: twoSteps))
        } _: { fixture, simulator async throws in
            #expect(fixture.tally == ["sent": Self.pushes + 1])
            #expect(simulator.recordedArrivals.count == Self.pushes + 1)
            #expect(simulator.recordedArrivals.values.allSatisfy { $0 == 1 })
            #expect(await simulator.counters().connections > 1)
        }
    }

    @Test func duplicatesNothingWhenConnectionsAreCut() async throws {
        try await underLoad(rounds: 4) { simulator in
            await simulator.cutConnections()
        } _: { fixture, simulator async throws in
            let sent = fixture.tally["sent"] ?? 0
            let unknown = fixture.tally["unknown ConnectionLost"] ?? 0
            #expect(sent + unknown == Self.pushes + 1, "\(fixture.tally)")
            #expect(unknown > 0)
            let arrivals = simulator.recordedArrivals
            #expect(arrivals.values.allSatisfy { $0 == 1 })
            #expect(fixture.tokens(.sent).isSubset(of: arrivals.keys))
        }
    }

    @Test func losesOnlyOpenRequestsWhenOneOfThreeHostsDies() async throws {
        var simulators: [SimulatedAPNS] = []
        for _ in 0..<3 { simulators.append(try await WireFixture.startedSimulator { $0.streamLimit = 20 }) }
        let addresses = try simulators.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0.port) }
        let fixture = WireFixture(addresses, maximumConnections: 6)
        var faults = StandingFaults()
        faults.answerDelayMilliseconds = 200
        for simulator in simulators {
            try fixture.register(at: simulator)
            await simulator.setFaults(faults)
        }
        try fixture.send(to: WireFixture.tokens(500, "0b"))
        await fixture.recorder.wait(for: 500)
        faults.silence = .answers
        await simulators[1].setFaults(faults)
        try fixture.send(to: WireFixture.tokens(Self.pushes, "0a"))
        try await eventually("at least 10 open streams on the host that will stop") {
            await simulators[1].counters().openStreams >= 10
        }
        await simulators[1].stop()
        await fixture.recorder.wait(for: Self.pushes + 500)
        #expect(fixture.surplusOutcomes == 0)
        let unknown = fixture.tally["unknown ConnectionLost"] ?? 0
        #expect(fixture.tally == ["sent": Self.pushes + 500 - unknown, "unknown ConnectionLost": unknown])
        #expect(unknown >= 10 && unknown <= 120, "only requests open on the stopped host may be unknown")
        var arrivals: [String: Int] = [:]
        for simulator in simulators { arrivals.merge(simulator.recordedArrivals, uniquingKeysWith: +) }
        #expect(arrivals.values.allSatisfy { $0 == 1 }, "no push may arrive twice")
        #expect(fixture.tokens(.sent).isSubset(of: arrivals.keys))
        await fixture.output.shutDown()
        for simulator in simulators { await simulator.stop() }
    }

    /// The output sends to a silent production host and to a live sandbox host.
    @Test func keepsSendingToOtherHostWhileOneIsSilent() async throws {
        let silent = try await WireFixture.startedSimulator()
        let other = try await WireFixture.startedSimulator { $0.environment = .sandbox }
        let ports = ["push.test": silent.port, "sandbox.test": other.port]
        let fixture = try WireFixture(silent) {
            $0.sandbox = .init(host: "sandbox.test", port: 2197)
            $0.requestTimeoutSeconds = 20
            $0.resolve = { name, _ in [try .init(ipAddress: "127.0.0.1", port: ports[name] ?? 0)] }
        }
        for simulator in [silent, other] { try fixture.register(at: simulator) }
        #expect(try await fixture.push() == "sent -")
        var faults = StandingFaults()
        faults.silence = .all
        await silent.setFaults(faults)
        try fixture.send(to: WireFixture.tokens(500, "0a"))
        for token in WireFixture.tokens(500, "0b") {
            try fixture.send(try Job.sample(recipients: "[\"\(token)\"]"), in: .sandbox)
        }
        try await eventually("501 pushes sent: \(fixture.tally)") { fixture.tally["sent"] == 501 }
        #expect(fixture.tally["sent"] == 501)
        #expect(other.recordedArrivals.count == 500)
        await fixture.recorder.wait(for: 1_001)
        // A connection that answers no PING may be closed before its requests time out.
        let unknown = ["RequestTimeout", "ConnectionLost"].map { fixture.tally["unknown \($0)"] ?? 0 }
        #expect(unknown.reduce(0, +) == 500 && fixture.tally["sent"] == 501, "\(fixture.tally)")
        #expect(fixture.surplusOutcomes == 0)
        await silent.setFaults(StandingFaults())
        try await eventually("the next push sent") { try await fixture.push("0c") == "sent -" }
        #expect(silent.recordedArrivals.values.allSatisfy { $0 == 1 })
        await fixture.output.shutDown()
        for simulator in [silent, other] { await simulator.stop() }
    }
}
