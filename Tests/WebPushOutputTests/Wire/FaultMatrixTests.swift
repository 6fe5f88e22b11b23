import PushModel
import PushTestSupport
import TestSupport
import Testing
import WebPushOutput
import WebPushSimulator

/// Connection faults. Each recipient gets exactly one outcome, and output and simulator count the same messages.
@Suite struct FaultMatrixTests {
    /// Checks that each recipient has one outcome, and that the simulator accepted each sent message once.
    private func expectCounts(_ services: PushServices, _ outcomes: [Outcome], _ count: Int) {
        #expect(outcomes.count == count && Set(outcomes.map(\.recipient)) == Set(0..<count))
        let acceptances = services.simulator.recordedAcceptances
        #expect(acceptances.values.reduce(0, +) == outcomes.count { $0.verdict == .sent })
        #expect(acceptances.values.allSatisfy { $0 == 1 })
    }

    private func recipients(_ services: PushServices, _ count: Int, of persona: Persona) throws -> [String] {
        try (0..<count).map { _ in try services.recipient(of: persona) }
    }

    @Test func staysWithinStreamLimit() async throws {
        try await PushServices.with({ $0.streamLimit = 10 }) { services in
            let outcomes = try await services.send(try recipients(services, 1_000, of: .google))
            #expect(outcomes.allSatisfy { $0.verdict == .sent })
            #expect(await services.simulator.counters().mostOpenStreams <= 10)
            expectCounts(services, outcomes, 1_000)
        }
    }

    @Test func resendsStreamsAboveLastStreamOfGoAway() async throws {
        try await PushServices.with { services in
            var faults = SimulatedWebPush.StandingFaults()
            faults.answerDelayMilliseconds = 20
            await services.simulator.setFaults(faults)
            let all = try recipients(services, 1_000, of: .apple)
            async let outcomes = services.send(all)
            for _ in 0..<3 {
                // On a fast machine, all messages may already be answered.
                try await eventually("requests are on the wire") {
                    let counters = await services.simulator.counters()
                    return counters.openStreams > 0 || counters.arrivals >= 1_000
                }
                await services.simulator.sendGoAway(GoAwayFault())
            }
            let reported = try await outcomes
            #expect(reported.allSatisfy { $0.verdict == .sent }, "\(Set(reported.compactMap(\.reason)))")
            expectCounts(services, reported, 1_000)
        }
    }

    @Test func resendsRefusedStreams() async throws {
        try await PushServices.with { services in
            _ = try await services.send(try recipients(services, 1, of: .google))
            services.simulator.refuseStreams(300)
            let outcomes = try await services.send(try recipients(services, 999, of: .google))
            #expect(outcomes.allSatisfy { $0.verdict == .sent || $0.reason == "StreamRefused" })
            #expect(outcomes.count == 999)
        }
    }

    @Test(arguments: [Persona.google, .mozilla])
    func reportsUnknownForMessagesOnCutConnection(persona: Persona) async throws {
        try await PushServices.with { services in
            var faults = SimulatedWebPush.StandingFaults()
            faults.silence = .answers
            await services.simulator.setFaults(faults)
            let all = try recipients(services, 200, of: persona)
            async let outcomes = services.send(all)
            try await eventually("requests are on the wire") { await services.simulator.counters().openStreams > 0 }
            await services.simulator.setFaults(.init())
            await services.simulator.cutConnections()
            let reported = try await outcomes
            let unknown = reported.count { $0.verdict == .unknown && $0.reason == "ConnectionLost" }
            #expect(unknown > 0 && reported.count { $0.verdict == .sent } == 200 - unknown)
            expectCounts(services, reported, 200)
        }
    }

    @Test func abandonsMessagesOnTheWireIfShutDownIsCancelled() async throws {
        try await PushServices.with { services in
            var faults = SimulatedWebPush.StandingFaults()
            faults.silence = .answers
            await services.simulator.setFaults(faults)
            let all = try recipients(services, 20, of: .google)
            async let outcomes = services.send(all)
            try await eventually("requests are on the wire") { await services.simulator.counters().openStreams == 20 }
            services.sending.output.stopSending()
            let shutDown = Task { await services.sending.output.shutDown() }
            shutDown.cancel()
            try await eventually("no connection is open") { await services.simulator.counters().openConnections == 0 }
            await shutDown.value
            #expect(try await outcomes.allSatisfy { $0.verdict == .unknown && $0.reason == "ConnectionLost" })
        }
    }

    @Test func reportsUnknownOnStreamReset() async throws {
        try await PushServices.with { services in
            await services.answer(PlannedWebPushAnswer(loss: .reset))
            let outcomes = try await services.send(try recipients(services, 20, of: .apple))
            #expect(outcomes.allSatisfy { $0.verdict == .unknown && $0.reason == "StreamReset" })
            await services.answer(nil)
            let after = try await services.send(try recipients(services, 20, of: .apple))
            #expect(after.allSatisfy { $0.verdict == .sent })
        }
    }

    /// The service enlarges the window slowly, and bodies are sent as it permits.
    @Test func waitsForSlowFlowControlWindow() async throws {
        try await PushServices.with { services in
            var faults = SimulatedWebPush.StandingFaults()
            faults.windowDelayMilliseconds = 20
            await services.simulator.setFaults(faults)
            let payload = "\"\(String(repeating: "x", count: 3_900))\""
            let outcomes = try await services.send(try recipients(services, 300, of: .google), payload: payload)
            #expect(outcomes.allSatisfy { $0.verdict == .sent })
            expectCounts(services, outcomes, 300)
        }
    }

    /// While the service refuses one key, the output still sends with the other. Later the refused key is accepted
    /// again.
    @Test func sendsWithOtherKeyWhileFirstIsRefused() async throws {
        try await PushServices.with { services in
            _ = try await services.send(try recipients(services, 10, of: .mozilla))
            let broken = try Sending.credential(id: "broken")
            let recipients = try (0..<50).map { _ in try services.recipient(of: .mozilla, key: broken.publicKey) }
            services.simulator.answerNext(1, with: PlannedWebPushAnswer(.badToken))
            let refused = try await services.send(Array(recipients.prefix(1)), with: broken.credential)
            #expect(refused.map(\.verdict) == [.hold])
            let others = try await services.send(try self.recipients(services, 50, of: .mozilla))
            #expect(others.allSatisfy { $0.verdict == .sent })
            try await eventually("messages with the refused key are sent again") {
                try await services.send(recipients, with: broken.credential).allSatisfy { $0.verdict == .sent }
            }
        }
    }
}
