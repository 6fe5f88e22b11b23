import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import TestSupport
import Testing

/// Tests of docs/schema/event.schema.json with events of every kind, as the core publishes them.
@Suite struct EventSchemaTests {
    @Test func publishesValidEvents() async throws {
        let harness = PipelineHarness(retry: RetryPolicy(maximumAttempts: 1))
        let recipients = (0..<12).map { #"{"token":"a\#($0)","ref":"user \#($0) \"é\""}"# }.joined(separator: ",")
        for (number, more) in ["", #""at_most_once":true,"#].enumerated() {
            harness.deliver(
                #"{"id":"\#(number)","app":"com.example.shop",\#(more)"payload":{},"recipients":[\#(recipients)]}"#,
                number: UInt64(number), redelivered: number == 1)
        }
        for job in harness.output.jobs {
            harness.report(
                job,
                [
                    job.outcome(0, .sent, status: 200, judge: .provider, providerID: try .sample(), uniqueID: "u"),
                    job.outcome(
                        1, .unregistered, status: 410, reason: "Unregistered", judge: .provider, unregisteredAt: now),
                    job.outcome(2, .rejected, status: 400, reason: "BadDeviceToken", judge: .provider),
                    job.outcome(3, .rejected, reason: "PayloadTooLarge"),
                    job.outcome(4, .failed, status: 403, reason: "InvalidProviderToken", judge: .provider),
                    job.outcome(5, .failed, reason: "NoCredential"),
                    job.outcome(6, .unknown, reason: "ConnectionLost"),
                    job.outcome(7, .expired),
                    job.outcome(8, .suppressed, unregisteredAt: now),
                    job.outcome(9, .retry, status: 503, reason: "ServiceUnavailable", judge: .provider),
                    job.outcome(10, .sent),
                    job.outcome(11, .unregistered, status: 410, reason: "Unregistered", judge: .provider),
                ])
        }
        harness.deliver(#"{"app":"com.example.shop","channel":"Y2g=","payload":{}}"#, number: 7)
        let broadcast = try #require(harness.output.jobs.last)
        harness.report(
            broadcast, [broadcast.outcome(0, .rejected, status: 400, reason: "ChannelNotRegistered", judge: .provider)])
        harness.deliver("{broken", number: 3)
        harness.deliver(jobBody(app: "com.example.unknown"), number: 4)
        harness.deliver(#"{"id":"6","x":1,"payload":[],"recipients":[{}]}"#, number: 5)
        harness.deliver(jobBody(more: #""output":"carrier pigeon","#), number: 6)
        // Malicious jobs.
        let long = String(repeating: "é", count: 1_000_000)
        for (number, body) in [
            jobBody(more: #""":1,"#), jobBody(app: ""), jobBody(app: long), jobBody(long),
            jobBody(more: #""\u0000\u001b[2J":{},"\#(long)":1,"#),
            #"{"app":"\ud800","payload":{},"recipients":["\udbff"]}"#,
            #"{"app":"a","payload":{},"recipients":[{"":1}]}"#,
        ].enumerated() {
            harness.deliver(body, number: UInt64(20 + number), properties: AMQPProperties(messageID: ""))
        }

        var written = 0
        while harness.marks.count > written {
            harness.written(try harness.mark(written))
            harness.flush()
            written += 1
        }
        let events = harness.events
        let samples = events.map { String(decoding: $0.body, as: UTF8.self) }
        let kinds = Set(try events.map { try JSON.object($0.body)["kind"] as? String })
        #expect(kinds == Set(OutcomeKind.allCases.map(\.rawValue) + ["job.rejected"]))
        #expect(samples.allSatisfy { $0.utf8.count < 20_000 })
        #expect(events.allSatisfy { $0.routingKey.utf8.count <= 255 })
        let problems = try await SchemaValidator.problems(in: samples, schema: "event.schema.json")
        for (index, problem) in problems { Issue.record("\(samples[index]): \(problem)") }
    }

    @Test func rejectsInvalidEvents() async throws {
        let samples = ["{}", #"{"kind":"sent"}"#, #"{"kind":"job.rejected","worker":"w","errors":[],"at":"now"}"#]
        #expect(
            try await SchemaValidator.problems(in: samples, schema: "event.schema.json").keys.sorted() == [0, 1, 2])
    }
}
