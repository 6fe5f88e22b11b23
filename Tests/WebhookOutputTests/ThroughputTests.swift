import PushModel
import TestSupport
import Testing
import Foundations
import WebhookOutput
import WireTestSupport

/// The throughput of jobs with one recipient, if the receiver takes 100 ms for each batch.
@Suite(.serialized) struct ThroughputTests {
    private func send(_ jobs: Int, to fixture: WebhookFixture) async throws -> Duration {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<jobs {
                group.addTask {
                    let outcomes = try await fixture.send(["r\(number)"], id: "job-\(number)")
                    #expect(outcomes.map(\.verdict) == [.sent])
                }
            }
            try await group.waitForAll()
        }
        return ContinuousClock.now - start
    }

    /// An HTTP/1.1 connection carries one request at a time.
    @Test func opensHTTP1ConnectionsWhileAnswersArePrompt() async throws {
        try await HTTP1Server.with(protocols: nil) { request in
            guard let batch = try? ReceivedBatch(request) else { return .answer(500) }
            return .answer(200, batch.answer, after: 100)
        } _: { server in
            let fixture = try WebhookFixture(url: "http://localhost:\(server.port)/in")
            let took = try await send(1_500, to: fixture)
            print("webhook: 1,500 jobs of one over HTTP/1.1 took \(took) with \(server.connections) connections")
            #expect(server.connections >= 16, "\(server.connections)")
            #expect(server.requests.count == 1_500)
            await fixture.output.shutDown()
        }
    }

    /// A connection of this receiver carries up to 100 requests at a time.
    @Test func usesAtMostFourHTTP2Connections() async throws {
        try await ScriptedServer.with { request in
            .init(status: 200, body: #"{"outcomes":[{"i":0,"kind":"sent"}]}"#, after: 100)
        } _: { server in
            let fixture = try WebhookFixture(
                url: "https://localhost:\(server.port)/in", authorityFile: server.authorityFile)
            let took = try await send(1_500, to: fixture)
            print("webhook: 1,500 jobs of one over HTTP/2 took \(took) with \(server.connections) connections")
            #expect(server.requests.count == 1_500)
            #expect(server.connections <= 4, "\(server.connections)")
            await fixture.output.shutDown()
        }
    }
}
