import Foundations
import Crypto
import Foundation
import NIOPosix
import PushModel
import PushTestSupport
import TestSupport
import Testing
import WebhookOutput
import WireTestSupport

@Suite struct WebhookOutputTests {
    private func receive(_ request: HTTP1Server.Request) -> HTTP1Server.Reaction {
        guard let batch = try? ReceivedBatch(request) else { return .answer(400) }
        return .answer(200, batch.answer)
    }

    private func fixture(
        at server: HTTP1Server, _ change: (inout WebhookConfiguration) -> Void = { _ in }
    ) throws -> WebhookFixture {
        let scheme = server.authorityFile == nil ? "http" : "https"
        return try WebhookFixture(
            url: "\(scheme)://localhost:\(server.port)/in?app=1", authorityFile: server.authorityFile,
            change)
    }

    @Test func writesJobFieldsIntoBatch() async throws {
        try await HTTP1Server.with(react: receive) { server in
            let fixture = try fixture(at: server)
            let start = Timestamp.now
            let outcomes = try await fixture.send(
                [#"{"token":"a\u0042","ref":"r\u0041"}"#, #"{"token":"b","payload":{"own":true}}"#],
                #""priority":5"#, #""expires_at":"2100-01-01T00:00:00Z""#, #""collapse_id":"c""#)
            #expect(outcomes.map(\.verdict) == [.sent, .sent])
            let request = try #require(server.requests.first)
            let body = String(decoding: request.body, as: UTF8.self)
            let id = try #require(request.fields["webhook-id"])
            #expect(
                body == #"""
                    {"version":1,"batch":"\#(id)","output":"webhook","app":"com.example.shop","job":{"id":"job-1",\#
                    "payload":{"text":"Hi"},"priority":5,"expires_at":"2100-01-01T00:00:00.000Z","collapse_id":"c"},\#
                    "recipients":[{"i":0,"token":"a\u0042","ref":"r\u0041","attempt":1},\#
                    {"i":1,"token":"b","payload":{"own":true},"attempt":1}]}
                    """#)
            #expect(request.line == "POST /in?app=1")
            #expect(request.fields["content-type"] == "application/json")
            #expect(request.fields["host"] == "localhost:\(server.port)")
            let seconds = try #require(request.fields["webhook-timestamp"].flatMap { Int64($0) })
            #expect((start.seconds...Timestamp.now.seconds).contains(seconds))
            #expect(
                request.fields["webhook-signature"]
                    == BatchSignature([try WebhookSecret(WebhookFixture.secret)]).value(
                        id: id, seconds: seconds, body: request.body))
            await fixture.output.shutDown()
        }
    }

    @Test func sendsTextPayload() async throws {
        try await HTTP1Server.with(react: receive) { server in
            let fixture = try fixture(at: server)
            #expect(try await fixture.send(payload: #""Your code is 12""#).map(\.verdict) == [.sent, .sent])
            let body = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
            #expect(body.contains(#""payload":"Your code is 12","#) || body.contains(#""payload":"Your code is 12"}"#))
            await fixture.output.shutDown()
        }
    }

    /// Real batches and answers are validated against the schemas in the documentation.
    @Test func conformsToDocumentedSchemas() async throws {
        try await HTTP1Server.with(react: receive) { server in
            let fixture = try fixture(at: server)
            _ = try await fixture.send()
            _ = try await fixture.send(
                [#"{"token":"a","ref":"r","payload":{}}"#], #""expires_at":0"#, #""priority":10"#)
            _ = try await fixture.send(payload: #""text""#)
            let check = await WebhookCredentialCheck(
                configuration: configuration(server), output: "webhook", clock: { .now },
                eventLoop: MultiThreadedEventLoopGroup.singleton.next()
            ).run(fixture.credential)
            #expect(check.result == .accepted("the receiver accepted an empty batch; nothing was sent"))
            let requests = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(requests.count == 4)
            #expect(try await SchemaValidator.problems(in: requests, schema: "webhook-batch.schema.json") == [:])
            let answers = try server.requests.map { try ReceivedBatch.answer(to: $0) }
            #expect(try await SchemaValidator.problems(in: answers, schema: "webhook-answer.schema.json") == [:])
            await fixture.output.shutDown()
        }
    }

    private func configuration(_ server: HTTP1Server) -> WebhookConfiguration {
        var configuration = WebhookConfiguration()
        configuration.privateHosts = [Endpoint(host: "localhost", port: server.port)]
        configuration.authorityFile = server.authorityFile
        return configuration
    }

    /// The receiver gets each recipient once, in batches that grow to the maximum size.
    @Test func splitsLargeJobIntoGrowingBatches() async throws {
        let open = Atomic(0)
        let most = Atomic(0)
        try await HTTP1Server.with { [receive] request in
            // The receiver answers each request in the event-loop turn that delivers it.
            open.add(1, ordering: .relaxed)
            most.max(open.load(ordering: .relaxed), ordering: .relaxed)
            defer { open.subtract(1, ordering: .relaxed) }
            return receive(request)
        } _: { server in
            let fixture = try fixture(at: server)
            let outcomes = try await fixture.send((0..<6_000).map { "r\($0)" })
            #expect(outcomes.count == 6_000)
            #expect(outcomes.allSatisfy { $0.verdict == .sent && "\($0.providerID!)" == "m-r\($0.recipient)" })
            let batches = try server.requests.map(ReceivedBatch.init)
            #expect(batches.flatMap(\.recipients).map(\.token).sorted() == (0..<6_000).map { "r\($0)" }.sorted())
            #expect(batches.allSatisfy { $0.recipients.map(\.i) == Array($0.recipients.indices) })
            #expect(Set(batches.map(\.batch)).count == batches.count)
            #expect(batches[0].recipients.count == 100)
            #expect(batches.map(\.recipients.count).max() == 500)
            await fixture.output.shutDown()
        }
    }

    /// The output splits a batch that the receiver refuses as too large. Batches of other jobs keep their size.
    @Test(arguments: [30, 1]) func splitsBatchesThatAreTooLargeForReceiver(most: Int) async throws {
        try await HTTP1Server.with { [receive] request in
            guard let recipients = try? ReceivedBatch(request).recipients else { return .answer(400) }
            return recipients.count > most && recipients[0].token.hasPrefix("large") ? .answer(413) : receive(request)
        } _: { server in
            let fixture = try fixture(at: server)
            let outcomes = try await fixture.send((0..<300).map { "large\($0)" })
            #expect(outcomes.allSatisfy { $0.verdict == .sent }, "\(Set(outcomes.map(\.line)))")
            let before = server.requests.count
            #expect(try await fixture.send((0..<100).map { "small\($0)" }).allSatisfy { $0.verdict == .sent })
            #expect(server.requests.count == before + 1)
            await fixture.output.shutDown()
        }
    }

    @Test func rejectsRecipientThatIsTooLargeAlone() async throws {
        try await HTTP1Server.with { [receive] request in
            let recipients = (try? ReceivedBatch(request).recipients) ?? []
            return recipients.contains { $0.token == "large" } ? .answer(413) : receive(request)
        } _: { server in
            let fixture = try fixture(at: server)
            let outcomes = try await fixture.send((0..<99).map { "r\($0)" } + ["large"])
            #expect(outcomes.dropLast().allSatisfy { $0.verdict == .sent })
            #expect(outcomes.last?.line == "rejected 413 PayloadTooLarge provider")
            #expect(outcomes.last?.detail == "the receiver refused a batch with only this recipient")
            await fixture.output.shutDown()
        }
    }

    @Test func sendsUrgentBatchWhileNormalBatchWaits() async throws {
        try await HTTP1Server.with { [receive] request in
            guard let batch = try? ReceivedBatch(request), batch.recipients[0].token == "bulk" else {
                return receive(request)
            }
            return .answer(200, batch.answer, after: 15_000)
        } _: { server in
            let fixture = try fixture(at: server) { $0.maximumBatches = 2 }
            async let bulk = fixture.send(["bulk"], lane: .bulk)
            try await eventually("the bulk batch has arrived") { server.requests.count == 1 }
            async let normal = fixture.send(["normal"])
            try await eventually("the normal job is handed in") { fixture.hasHandedIn(2) }
            #expect(try await fixture.send(["urgent"], lane: .urgent).map(\.verdict) == [.sent])
            #expect(fixture.settledJobs == 1)
            #expect(server.requests.count == 2)
            #expect(try await (bulk + normal).map(\.verdict) == [.sent, .sent])
            await fixture.output.shutDown()
        }
    }

    /// Recipients with their own payloads reach the limit of bytes before the limit of recipients.
    @Test func limitsBatchesTo1MiB() async throws {
        try await HTTP1Server.with(react: receive) { server in
            let fixture = try fixture(at: server)
            let text = String(repeating: "x", count: 100_000)
            let large = (0..<30).map { #"{"token":"r\#($0)","payload":{"text":"\#(text)"}}"# }
            #expect(try await fixture.send(large).allSatisfy { $0.verdict == .sent })
            #expect(server.requests.allSatisfy { $0.body.count <= 1_048_576 })
            #expect(server.requests.map(\.body.count).max() ?? 0 > 900_000)
            let huge = #"{"token":"huge","payload":{"text":"\#(String(repeating: "x", count: 1_048_576))"}}"#
            let outcomes = try await fixture.send(["small", huge, "last"])
            #expect(outcomes.map(\.line).map { String($0.prefix(40)) }.count == 3)
            #expect(outcomes.map(\.verdict) == [.sent, .rejected, .sent])
            #expect(outcomes[1].reason == "PayloadTooLarge")
            await fixture.output.shutDown()
        }
    }

    @Test func sendsPlainHTTPToAllowedHostsOnly() async throws {
        try await HTTP1Server.with(protocols: nil, react: receive) { server in
            let named = try fixture(at: server)
            #expect(try await named.send().map(\.verdict) == [.sent, .sent])
            await named.output.shutDown()
            let other = try fixture(at: server) { $0.privateHosts = [Endpoint(host: "localhost", port: 80)] }
            for _ in 0..<2 {
                let outcomes = try await other.send()
                #expect(outcomes.map(\.line) == Array(repeating: "hold 0 CredentialUnusable martlet", count: 2))
            }
            #expect(other.refusals == ["CredentialUnusable"], "the refusal is reported once")
            #expect(server.connections == 1)
            await other.output.shutDown()
        }
    }

    @Test func sendsOverHTTP2() async throws {
        try await ScriptedServer.with { request in
            request.fields["webhook-signature"] == nil
                ? nil : .init(status: 200, body: #"{"outcomes":[{"i":0,"kind":"sent"},{"i":1,"kind":"sent"}]}"#)
        } _: { server in
            let fixture = try WebhookFixture(
                url: "https://localhost:\(server.port)/in", authorityFile: server.authorityFile)
            #expect(try await fixture.send().map(\.verdict) == [.sent, .sent])
            await fixture.output.shutDown()
        }
    }

    /// The output reports the refusal once, and sends again after an operator has repaired the receiver.
    @Test func resumesWhenReceiverIsRepaired() async throws {
        let refuses = Atomic(true)
        try await HTTP1Server.with { [receive] request in
            refuses.load(ordering: .relaxed) ? .answer(401) : receive(request)
        } _: { server in
            let fixture = try fixture(at: server) { $0.breakMilliseconds = 15_000 }
            for id in ["job-1", "job-2", "job-3"] {
                #expect(try await fixture.send(["a"], id: id).map(\.verdict) == [.retry])
            }
            #expect(try await fixture.send(["a"], id: "job-4").map(\.verdict) == [.hold])
            #expect(server.requests.count == 3, "no request follows the third refusal")
            refuses.store(false, ordering: .relaxed)
            try await eventually("a job is sent again") { try await fixture.send(["a"]).map(\.verdict) == [.sent] }
            #expect(fixture.refusals == ["Status401"])
            await fixture.output.shutDown()
        }
    }

    @Test func waitsInWorkerForShortPause() async throws {
        let isFirst = Atomic(true)
        try await HTTP1Server.with { [receive] request in
            isFirst.exchange(false, ordering: .relaxed) ? .answer(429, fields: ["retry-after: 2"]) : receive(request)
        } _: { server in
            let fixture = try fixture(at: server)
            let start = ContinuousClock.now
            #expect(try await fixture.send().map(\.verdict) == [.retry, .retry])
            #expect(try await fixture.send().map(\.verdict) == [.sent, .sent])
            #expect(ContinuousClock.now - start > .milliseconds(500))
            #expect(server.requests.count == 2)
            await fixture.output.shutDown()
        }
    }

    @Test func sendsPausedJobsBeforeShutDown() async throws {
        let isFirst = Atomic(true)
        try await HTTP1Server.with { [receive] request in
            isFirst.exchange(false, ordering: .relaxed) ? .answer(429, fields: ["retry-after: 2"]) : receive(request)
        } _: { server in
            let fixture = try fixture(at: server)
            #expect(try await fixture.send().map(\.verdict) == [.retry, .retry])
            async let later = fixture.send()
            try await eventually("the second job is handed in") { fixture.hasHandedIn(2) }
            await fixture.output.shutDown()
            #expect(try await later.map(\.verdict) == [.sent, .sent])
        }
    }

    @Test func holdsJobsDuringLongPause() async throws {
        try await HTTP1Server.with { _ in
            .answer(429, fields: ["retry-after: 60"])
        } _: { server in
            let fixture = try fixture(at: server)
            _ = try await fixture.send()
            let outcomes = try await fixture.send()
            #expect(outcomes.map(\.verdict) == [.hold, .hold], "unsent jobs are held and use no attempt")
            #expect(outcomes.allSatisfy { $0.reason == "ReceiverPaused" && (1...60).contains($0.retryAfterSeconds) })
            #expect(server.requests.count == 1)
            await fixture.output.shutDown()
        }
    }
}

extension ReceivedBatch {
    static func answer(to request: HTTP1Server.Request) throws -> String {
        (try? ReceivedBatch(request))?.answer ?? #"{"outcomes":[]}"#
    }
}
