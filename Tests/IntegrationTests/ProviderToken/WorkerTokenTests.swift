import APNSSimulator
import Foundation
import PushModel
import PushTestSupport
import Store
import TestSupport
import TestTraits
import Testing

/// The behaviour of a worker when its provider token grows old, when APNs refuses the token, and when the worker can't
/// get one.
@Suite(.needsServers, .endsAHang)
struct WorkerTokenTests {
    private static let app = "com.example.shop"
    private static let minute: Int64 = 60_000

    /// A worker with its simulator, clock and token store.
    private struct Scene {
        let simulator: SimulatedAPNS
        let clock: SimulatedClock
        let log: WatchedTokenStore.Log
        let credential: Credential
        let worker: FleetWorker

        /// Sends one push and returns its verdict and reason.
        func push() async throws -> String {
            let recorder = OutcomeRecorder()
            let job = try Job.sample(recipients: "[\"\(Token.random())\"]")
            worker.send(RoutedJob(job, credential: credential), reportingTo: recorder)
            await recorder.wait(for: 1)
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

    @Test func keepsYoungTokenReportedExpiredAndReconnects() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            scene.clock.advance(19 * Self.minute)
            scene.simulator.answerNext(1, with: PlannedAnswer(status: 403, reason: "ExpiredProviderToken"))
            #expect(try await scene.push() == "sent -", "the refused push is sent again at once")
            #expect(await scene.simulator.counters().connections == 2)
            #expect(scene.log.made.count == 1)
        }
    }

    /// The clock jumps when a machine wakes up. The worker must not send with the old token then.
    @Test func replacesOldTokenAfterClockJumpBeforeSending() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            scene.clock.advance(120 * Self.minute)
            #expect(try await scene.push() == "sent -")
            #expect(scene.log.made.count == 2)
            #expect(await scene.simulator.counters().byReason == [:])
        }
    }

    @Test func replacesOldTokenReportedExpired() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            scene.clock.advance(20 * Self.minute)
            scene.simulator.answerNext(1, with: PlannedAnswer(status: 403, reason: "ExpiredProviderToken"))
            #expect(try await scene.push() == "sent -")
            #expect(scene.log.made.count == 2)
            #expect(await scene.simulator.counters().byReason == ["ExpiredProviderToken": 1])
        }
    }

    @Test func holdsPushesIfTokenIsRepeatedlyReportedExpired() async throws {
        try await withScene { scene async throws in
            scene.simulator.answerNext(2, with: PlannedAnswer(status: 403, reason: "ExpiredProviderToken"))
            #expect(try await scene.push() == "hold ExpiredProviderToken")
            #expect(try await scene.push() == "hold ExpiredProviderToken", "the second push is held without being sent")
            #expect(await scene.simulator.counters().connections == 2, "a refused token retires its connection")
            #expect(await scene.simulator.counters().arrivals == 2)
            #expect(scene.log.made.count == 1)
        }
    }

    @Test func reconnectsWithSameTokenAfterTooManyUpdates() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            // The token is old enough to be replaced.
            scene.clock.advance(24 * Self.minute)
            scene.simulator.answerNext(1, with: PlannedAnswer(status: 429, reason: "TooManyProviderTokenUpdates"))
            #expect(try await scene.push() == "retry TooManyProviderTokenUpdates")
            #expect(try await scene.push() == "sent -")
            #expect(await scene.simulator.counters().connections == 2)
            #expect(scene.log.made.count == 1)
        }
    }

    @Test func signsNextTokenInAdvance() async throws {
        try await withScene { scene async throws in
            #expect(try await scene.push() == "sent -")
            scene.clock.advance(25 * Self.minute)
            try await eventually("a second token is signed: \(scene.log.made)") { scene.log.made.count == 2 }
        }
    }

    @Test func holdsPushesWithoutTokenDuringDatabaseOutage() async throws {
        try await withScene { scene async throws in
            scene.log.isStoreAway = true
            #expect(try await scene.push() == "hold NoProviderToken")
            #expect(try await scene.push() == "hold NoProviderToken")
            scene.log.isStoreAway = false
            scene.clock.advance(2_000)
            #expect(try await scene.push() == "sent -")
        }
    }

    /// A connection uses its token until the token is 54 minutes old, and then continues with the next one.
    @Test func keepsConnectionThroughDatabaseOutage() async throws {
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
            // The last failed request to the store may still be open.
            try await eventually("a push is sent with the next token") {
                scene.clock.advance(30_000)
                return try await scene.push() == "sent -"
            }
            #expect(scene.log.made.count == 2)
            #expect(await scene.simulator.counters().connections == 1)
        }
    }
}
