import PushModel
import TestSupport
import Testing
import Foundations
import WebhookOutput
import WireTestSupport

/// A receiver that refuses batches because of one recipient and accepts all others.
@Suite struct RefusedBatchTests {
    /// Returns a receiver that refuses each batch with a recipient of this prefix.
    private static func receiver(_ status: Int, refusing prefix: String = "bad")
        -> @Sendable (HTTP1Server.Request) -> HTTP1Server.Reaction
    {
        { request in
            guard let batch = try? ReceivedBatch(request) else { return .answer(500) }
            return batch.recipients.contains { $0.token.hasPrefix(prefix) }
                ? .answer(status) : .answer(200, batch.answer)
        }
    }

    private func fixture(at server: HTTP1Server) throws -> WebhookFixture {
        try WebhookFixture(url: "http://localhost:\(server.port)/in")
    }

    @Test(arguments: [400, 405, 409, 413, 422, 451]) func rejectsRefusedRecipientAndSendsToOthers(status: Int)
        async throws
    {
        try await HTTP1Server.with(protocols: nil, react: Self.receiver(status)) { server in
            let fixture = try fixture(at: server)
            let tokens = (0..<1_000).map { $0 == 617 ? "bad" : "r\($0)" }
            let outcomes = try await fixture.send(tokens)
            #expect(outcomes.count == 1_000)
            #expect(outcomes.allSatisfy { $0.verdict == ($0.recipient == 617 ? .rejected : .sent) })
            let bad = outcomes.first { $0.verdict == .rejected }
            #expect(bad?.line == "rejected \(status) \(status == 413 ? "PayloadTooLarge" : "Status\(status)") provider")
            #expect(bad?.detail == "the receiver refused a batch with only this recipient")
            #expect(fixture.refusals == [])
            // At most ten batches of at least 100 recipients, and two requests for each halving of the refused batch.
            if status != 413 { #expect(server.requests.count <= 10 + 2 * 9, "\(server.requests.count)") }
            await fixture.output.shutDown()
        }
    }

    /// Reproduces a fault in which other jobs were held because of a refused batch. All of them then returned at the
    /// same time, and the fault repeated itself.
    @Test(arguments: [400, 409, 422, 401, 403, 404, 410, 302])
    func sendsGoodJobsBesideRefusedJob(status: Int) async throws {
        try await HTTP1Server.with(protocols: nil, react: Self.receiver(status)) { server in
            let fixture = try fixture(at: server)
            let isContent = [400, 409, 422].contains(status)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let outcomes = try await fixture.send(["good\(number)"], id: "good-\(number)")
                        #expect(outcomes.map(\.verdict) == [.sent])
                    }
                    guard number % 10 == 5 else { continue }
                    group.addTask {
                        let outcomes = try await fixture.send(["bad", "beside\(number)"], id: "bad")
                        #expect(outcomes.map(\.verdict) == [isContent ? .rejected : .retry, .sent])
                        #expect(outcomes[0].status == status)
                    }
                }
                try await group.waitForAll()
            }
            #expect(fixture.refusals == [])
            await fixture.output.shutDown()
        }
    }

    @Test func stopsCredentialAfterThreeRefusedJobs() async throws {
        try await HTTP1Server.with(protocols: nil, react: Self.receiver(401, refusing: "")) { server in
            let fixture = try fixture(at: server)
            for number in 0..<3 {
                #expect(try await fixture.send(["a"], id: "job-\(number)").map(\.verdict) == [.retry])
            }
            #expect(fixture.refusals == ["Status401"])
            let outcomes = try await fixture.send((0..<200).map { "r\($0)" }, id: "job-4")
            #expect(outcomes.allSatisfy { $0.verdict == .hold && $0.reason == "Status401" })
            #expect(server.requests.count == 3)
            await fixture.output.shutDown()
        }
    }

    /// At most ten recipients of the job use an attempt. All others are held.
    @Test func usesAtMostTenAttemptsOfLargeJobWithRefusedCredential() async throws {
        try await HTTP1Server.with(protocols: nil, react: Self.receiver(403, refusing: "")) { server in
            let fixture = try fixture(at: server)
            let outcomes = try await fixture.send((0..<1_000).map { "r\($0)" })
            #expect(outcomes.count(where: { $0.verdict == .retry }) <= 10)
            #expect(outcomes.count(where: { $0.verdict == .hold }) >= 990)
            #expect(server.requests.count <= 30)
            await fixture.output.shutDown()
        }
    }

    /// A broken receiver gets a bounded number of requests, because halving ends at single recipients.
    @Test func sendsAtMostTwoRequestsPerRecipientToRefusingReceiver() async throws {
        try await HTTP1Server.with(protocols: nil, react: Self.receiver(422, refusing: "")) { server in
            let fixture = try fixture(at: server)
            let outcomes = try await fixture.send((0..<300).map { "r\($0)" })
            #expect(outcomes.allSatisfy { $0.verdict == .rejected && $0.status == 422 })
            #expect(server.requests.count <= 600)
            #expect(server.connections <= 8, "the receiver gets one batch at a time")
            await fixture.output.shutDown()
        }
    }

    /// After ten refusals, the receiver gets one batch at a time. All requests of the refused job together would take
    /// seconds.
    @Test func sendsOtherJobsBetweenPartsOfRefusedJob() async throws {
        try await HTTP1Server.with(protocols: nil) { request in
            guard let batch = try? ReceivedBatch(request) else { return .answer(500) }
            return batch.recipients[0].token.hasPrefix("bad") ? .answer(422, after: 20) : .answer(200, batch.answer)
        } _: { server in
            let fixture = try fixture(at: server)
            async let refused = fixture.send((0..<200).map { "bad\($0)" }, id: "refused")
            try await eventually("more than ten refusals") { server.requests.count >= 30 }
            for number in 1...5 {
                let outcomes = try await fixture.send(["good"], id: "good-\(number)")
                #expect(outcomes.map(\.verdict) == [.sent])
                #expect(fixture.settledJobs == number, "parts of the refused job must be pending")
            }
            #expect(try await refused.allSatisfy { $0.verdict == .rejected && $0.status == 422 })
            await fixture.output.shutDown()
        }
    }

    /// Reproduces a fault in which one recipient caused a 500 in every attempt, so that all other recipients of its
    /// unchanged batch were lost, too.
    @Test(arguments: [(1, true, 100), (2, true, 64), (3, true, 8), (4, true, 1), (9, true, 1), (4, false, 100)])
    func splitsBatchesOfUnknownOutcomeInLaterAttempts(attempt: Int, redelivered: Bool, most: Int) async throws {
        try await HTTP1Server.with(protocols: nil, react: Self.receiver(500)) { server in
            let fixture = try fixture(at: server)
            let outcomes = try await fixture.send(
                (0..<100).map { "r\($0)" }, attempt: attempt, redelivered: redelivered)
            #expect(outcomes.allSatisfy { $0.verdict == .sent })
            let sizes = try server.requests.map { try ReceivedBatch($0).recipients.count }
            #expect(sizes.max() == most, "\(sizes)")
            await fixture.output.shutDown()
        }
    }
}
