import APNSSimulator
import Foundation
import PushModel
import PushTestSupport
import Store
import TestSupport
import TestTraits
import Testing

/// What a worker does when its token grows old, when APNs refuses it, or when it can have none.
@Suite(.needsServers, .endsAHang)
struct WorkerTokenTests {
    private static let app = "com.example.shop"
    private static let minute: Int64 = 60_000

    /// A worker with its surroundings.
    private struct Scene {
        let simulator: APNSSimulator
        let clock: SimulatedClock
        let log: WatchedTokenStore.Log
        let credential: Credential
        let worker: FleetWorker

        /// Sends one push and says what became of it.
        func push() async throws -> String {
            let recorder = OutcomeRecorder()
            let job = try Job.sample(recipients: "[\"\(Token.random())\"]")
            worker.send(RoutedJob(job, credential: credential), reportingTo: recorder)
            await recorder.wait(for: 1, atMost: .seconds(60))
            return recorder.outcomes.map { "\($0.verdict) \($0.reason ?? "-")" }.joined(separator: ", ")
        }
    }

    private func withScene(_ body: (Scene) async throws -> Void) async throws {
        let clock = SimulatedClock()
        try await Installation.with(simulator: {
            $0.now = { Date(timeIntervalSince1970: Double(clock.now) / 1000) }
        }) { installation in
            try await installation.addTokenApp(Self.app)
            let credential = try await installation.credential(of: Self.app)
            let log = WatchedTokenStore.Log()
            let worker = FleetWorker(installation, clock: clock, log: log, skew: 0, started: clock.now)
            try await body(
                Scene(
                    simulator: installation.simulator, clock: clock, log: log, credential: credential, worker: worker))
            await worker.stop()
        }
    }

    @Test func aYoungTokenCalledExpiredStaysAndGetsAnotherConnection() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            scene.clock.advance(19 * Self.minute)
            scene.simulator.answerNext(1, with: PlannedAnswer(status: 403, reason: "ExpiredProviderToken"))
            #expect(try await scene.push() == "sent -", "sent again at once")
            #expect(await scene.simulator.counters().connections == 2)
            #expect(scene.log.made.count == 1)
        }
    }

    /// As after a machine has slept: nobody sends with the old token first.
    @Test func aClockThatJumpsCostsNothing() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            scene.clock.advance(120 * Self.minute)
            #expect(try await scene.push() == "sent -")
            #expect(scene.log.made.count == 2)
            #expect(await scene.simulator.counters().byReason == [:])
        }
    }

    @Test func anOldTokenCalledExpiredIsReplaced() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            scene.clock.advance(20 * Self.minute)
            scene.simulator.answerNext(1, with: PlannedAnswer(status: 403, reason: "ExpiredProviderToken"))
            #expect(try await scene.push() == "sent -")
            #expect(scene.log.made.count == 2)
            #expect(await scene.simulator.counters().byReason == ["ExpiredProviderToken": 1])
        }
    }

    @Test func aTokenThatIsAlwaysCalledExpiredIsHeld() async throws {
        try await withScene { scene async throws in
            scene.simulator.answerNext(2, with: PlannedAnswer(status: 403, reason: "ExpiredProviderToken"))
            #expect(try await scene.push() == "hold ExpiredProviderToken")
            #expect(try await scene.push() == "hold ExpiredProviderToken", "without asking again")
            #expect(await scene.simulator.counters().connections == 2, "each that got that answer is retired")
            #expect(await scene.simulator.counters().arrivals == 2)
            #expect(scene.log.made.count == 1)
        }
    }

    @Test func tooManyUpdatesMakeNoTokenAndRetireTheConnection() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            // Old enough that a token could be made.
            scene.clock.advance(24 * Self.minute)
            scene.simulator.answerNext(1, with: PlannedAnswer(status: 429, reason: "TooManyProviderTokenUpdates"))
            #expect(try await scene.push() == "retry TooManyProviderTokenUpdates")
            #expect(try await scene.push() == "sent -")
            #expect(await scene.simulator.counters().connections == 2)
            #expect(scene.log.made.count == 1)
        }
    }

    @Test func theNextTokenIsThereBeforeItIsNeeded() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            scene.clock.advance(25 * Self.minute)
            try await eventually("\(scene.log.made)") { scene.log.made.count == 2 }
        }
    }

    @Test func withoutADatabasePushesWaitInADelayQueue() async throws {
        try await withScene { scene async throws in
            scene.log.isStoreAway = true
            #expect(try await scene.push() == "hold NoProviderToken")
            #expect(try await scene.push() == "hold NoProviderToken")
            scene.log.isStoreAway = false
            scene.clock.advance(2_000)
            #expect(try await scene.push() == "sent -")
        }
    }

    /// What a connection holds serves until it is 54 minutes old, and is followed by the next at once.
    @Test func aConnectionOutlivesAnOutageOfTheDatabase() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            scene.clock.advance(Self.minute)
            scene.log.isStoreAway = true
            for minutes in stride(from: 1, to: 54, by: 5) {
                #expect(try await scene.push() == "sent -", "\(minutes) min")
                scene.clock.advance(5 * Self.minute)
            }
            #expect(try await scene.push() == "hold NoProviderToken")
            scene.log.isStoreAway = false
            // The last question in vain may still be on its way.
            try await eventually("a push with the next token") {
                scene.clock.advance(30_000)
                return try await scene.push() == "sent -"
            }
            #expect(scene.log.made.count == 2)
            #expect(await scene.simulator.counters().connections == 1)
        }
    }
}
