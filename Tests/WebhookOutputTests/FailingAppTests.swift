import PushModel
import TestSupport
import Testing
import WebhookOutput
import WireTestSupport

/// A receiver that fails the batches of one app and answers those of other apps.
@Suite struct FailingAppTests {
    private static let failing = "com.example.failing"

    /// Reproduces two attacks: failing recipients of one app delayed other apps' pushes by minutes.
    @Test(arguments: [HTTP1Server.Reaction.answer(500), .end(), .nothing])
    func sendsOtherAppsAtOnce(reaction: HTTP1Server.Reaction) async throws {
        try await HTTP1Server.with(protocols: nil) { request in
            guard let batch = try? ReceivedBatch(request) else { return .answer(500) }
            return batch.recipients.contains { $0.token.hasPrefix("bad") } ? reaction : .answer(200, batch.answer)
        } _: { server in
            let fixture = try WebhookFixture(url: "http://localhost:\(server.port)/in") {
                $0.requestTimeoutSeconds = 1
            }
            #expect(try await fixture.send(["good"], id: "first").map(\.verdict) == [.sent])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        let outcomes = try await fixture.send(["bad"], app: Self.failing, id: "bad-\(number)")
                        #expect(outcomes.map(\.verdict) == [.unknown])
                    }
                    for part in 0..<3 {
                        group.addTask {
                            let outcomes = try await fixture.send(["good"], id: "good-\(number)-\(part)")
                            #expect(outcomes.map(\.verdict) == [.sent], "no push of another app is held")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(fixture.refusals == [])
            await fixture.output.shutDown()
        }
    }

    @Test func blamesReceiverOnceTwoAppsFail() {
        var apps = AnsweredApps()
        func isOnlyFailing(_ app: String, at now: Int64) -> Bool { apps.isOnlyFailing(app, nowMilliseconds: now) }
        #expect(!isOnlyFailing("a", at: 0), "nothing has been answered")
        apps.answered("a", nowMilliseconds: 0)
        #expect(!isOnlyFailing("a", at: 1), "no other app has been answered")
        apps.answered("b", nowMilliseconds: 2)
        #expect(isOnlyFailing("a", at: 3))
        #expect(isOnlyFailing("a", at: 4))
        #expect(!isOnlyFailing("b", at: 5), "two apps fail")
        #expect(!isOnlyFailing("a", at: 6))
        apps.answered("a", nowMilliseconds: 7)
        #expect(isOnlyFailing("a", at: 60_001))
        #expect(!isOnlyFailing("a", at: 60_002), "the answer is too old")
    }
}
