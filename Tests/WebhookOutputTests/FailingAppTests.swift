import PushModel
import TestSupport
import Testing
import WebhookOutput
import WireTestSupport

/// A receiver that fails the batches of some apps and answers those of another app.
@Suite struct FailingAppTests {
    /// Reproduces attacks in which failing recipients of one app, or of several, delayed other apps' pushes by minutes.
    @Test(arguments: [HTTP1Server.Reaction.answer(500), .end(), .nothing], [1, 5])
    func sendsOtherAppsAtOnce(reaction: HTTP1Server.Reaction, apps: Int) async throws {
        try await HTTP1Server.with(protocols: nil) { request in
            guard let batch = try? ReceivedBatch(request) else { return .answer(500) }
            return batch.recipients.contains { $0.token.hasPrefix("bad") } ? reaction : .answer(200, batch.answer)
        } _: { server in
            let fixture = try WebhookFixture(url: "http://localhost:\(server.port)/in") {
                if case .nothing = reaction { $0.requestTimeoutSeconds = 2 }
            }
            #expect(try await fixture.send(["good"], id: "first").map(\.verdict) == [.sent])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        let app = "com.example.failing\(number % apps)"
                        let outcomes = try await fixture.send(["bad"], app: app, id: "bad-\(number)")
                        #expect(outcomes.map(\.verdict) != [.sent])
                    }
                    for part in 0..<3 {
                        group.addTask {
                            let outcomes = try await fixture.send(["good"], id: "good-\(number)-\(part)")
                            // On a busy machine, an answer may come too late.
                            #expect([[.sent], [.unknown]].contains(outcomes.map(\.verdict)), "no push may be held")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(fixture.refusals == [])
            await fixture.output.shutDown()
        }
    }
}
