import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

/// Tests of each limit with a job that just fits and one that just exceeds it. The error names the limit and its value.
@Suite struct LimitTests {
    private func problem(_ harness: PipelineHarness) throws -> String {
        let errors = try JSON.objects(try JSON.object(try harness.event(0).body)["errors"])
        let error = try #require(errors.first)
        #expect(harness.moved == ["martlet.dead normal"])
        return "\(error["field"] ?? "-"): \(error["problem"] ?? "-")"
    }

    private func body(payload bytes: Int = 20) -> String {
        let filling = String(repeating: "x", count: bytes - #"{"a":""}"#.utf8.count)
        return #"{"id":"order-1","app":"com.example.shop","payload":{"a":"\#(filling)"},"recipients":["aa","bb","cc"]}"#
    }

    @Test func limitsBytesOfJob() throws {
        let body = body()
        let fitting = PipelineHarness { $0.limits.maximumJobBytes = body.utf8.count }
        fitting.deliver(body)
        #expect(fitting.started == ["order-1"])
        let tight = PipelineHarness { $0.limits.maximumJobBytes = body.utf8.count - 1 }
        tight.deliver(body, properties: AMQPProperties(messageID: "m-1"))
        let size = body.utf8.count
        #expect(try problem(tight) == "body: has \(size) bytes, more than jobs.maximum_bytes = \(size - 1)")
        #expect(try JSON.object(try tight.event(0).body)["job"] as? String == "m-1")
    }

    @Test func limitsRecipientsOfJob() throws {
        let fitting = PipelineHarness { $0.limits.maximumRecipients = 3 }
        fitting.deliver(body())
        #expect(try fitting.job(0).job.recipients.count == 3)
        let tight = PipelineHarness { $0.limits.maximumRecipients = 2 }
        tight.deliver(body())
        #expect(try problem(tight) == "recipients: has 3, more than jobs.maximum_recipients = 2")
    }

    @Test func limitsBytesOfSharedPayload() throws {
        let fitting = PipelineHarness()
        fitting.deliver(body(payload: 65_536))
        #expect(fitting.started == ["order-1"])
        let tight = PipelineHarness()
        tight.deliver(body(payload: 65_537))
        #expect(try problem(tight) == "payload: has 65537 bytes, more than the 65536 that a job's payload may have")
    }

    @Test func doesNotLimitPayloadOfRecipient() throws {
        let own = #"{"a":"\#(String(repeating: "x", count: 70_000))"}"#
        let harness = PipelineHarness()
        harness.deliver(body().replacing(#""aa""#, with: #"{"token":"aa","payload":\#(own)}"#))
        #expect(harness.started == ["order-1"], "only the output may reject the payload")
    }

    @Test func limitsNestingDepth() throws {
        func nested(_ levels: Int) -> String {
            body().replacing(
                #"{"a":"#,
                with: #"{"b":"# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
                    + #","a":"#)
        }
        let fitting = PipelineHarness()
        fitting.deliver(nested(62))
        #expect(fitting.started == ["order-1"], "the job and its payload add two levels")
        let tight = PipelineHarness()
        tight.deliver(nested(63))
        #expect(try problem(tight).contains("nested deeper than 64 levels"))
    }

    @Test func limitsBytesOfHeaders() throws {
        // The overhead in bytes: 4 for the table, 1 + 1 for the name, 5 for the value's type and length.
        func properties(_ bytes: Int) -> AMQPProperties {
            AMQPProperties(headers: ["a": .string(String(repeating: "x", count: bytes - 11))])
        }
        let fitting = PipelineHarness()
        fitting.deliver(body(), properties: properties(32_768))
        #expect(fitting.started == ["order-1"])
        let tight = PipelineHarness()
        tight.deliver(body(), properties: properties(32_769))
        #expect(try problem(tight) == "headers: have 32769 bytes, more than the 32768 that a job's headers may have")
    }

    @Test(arguments: [(0, true), (300, true), (301, false)])
    func rejectsRegistrationTimeFarInFuture(secondsAhead: Int64, isTaken: Bool) throws {
        let harness = PipelineHarness()
        let time = now.seconds + secondsAhead
        harness.deliver(body().replacing(#""bb""#, with: #"{"token":"bb","registered_at":\#(time)}"#))
        if isTaken {
            #expect(try harness.job(0).job.recipients[1].registeredAt?.seconds == time)
        } else {
            #expect(try problem(harness) == "recipients[1].registered_at: 2027-01-15T08:05:01.000Z is in the future")
        }
    }

    @Test func rejectsOversizedHeadersBeforeOtherChecks() throws {
        let headers: AMQPFieldTable = ["a": .bytes(Array(repeating: 0, count: 40_000)), "x-delivery-count": 9]
        let redelivered = PipelineHarness()
        redelivered.deliver(body(), properties: AMQPProperties(headers: headers), redelivered: true)
        #expect(redelivered.moved == ["martlet.dead normal"], "must be dead-lettered, not moved to the suspects")
        let draining = PipelineHarness()
        draining.drain()
        draining.deliver(body(), properties: AMQPProperties(headers: headers))
        #expect(draining.moved == ["martlet.dead normal"])
    }

    @Test func rejectsUnreadableHeaders() throws {
        let harness = PipelineHarness()
        let readable = AMQPDelivery.sample(body(), properties: AMQPProperties(messageID: "m-1"))
        harness.deliver([
            AMQPDelivery(
                tag: readable.tag, isRedelivered: false, exchange: "martlet.jobs", routingKey: "normal",
                properties: readable.properties, body: readable.body, problem: "are nested deeper than 32 levels")
        ])
        #expect(try problem(harness) == "headers: are nested deeper than 32 levels")
        #expect(try JSON.object(try harness.event(0).body)["job"] as? String == "order-1", "use the id in the body")
    }

    /// RabbitMQ may negotiate frames of 8,192 bytes, of which the other properties may use 3,000.
    @Test func limitsHeadersOfRepublishedJobToSmallestFrame() throws {
        func text(_ bytes: Int) -> AMQPFieldValue { .string(String(repeating: "x", count: bytes)) }
        let headers: AMQPFieldTable = [
            "mine": text(10_000), "x-martlet-attempt": 2, "x-martlet-first-attempt-at": text(10_000),
            "x-martlet-part": text(1_000), "traceparent": text(255),
            "tracestate": .string(
                "a=" + String(repeating: "x", count: 256) + ",b=" + String(repeating: "x", count: 251)),
            "x-martlet-reason": text(10_000),
            "x-martlet-lane": text(10_000), "x-martlet-chunk": true, "x-martlet-part": text(1_000),
        ]
        let harness = PipelineHarness()
        harness.deliver("{" + String(repeating: "€", count: 900), properties: AMQPProperties(headers: headers))
        let dead = try #require(harness.published.first?.properties.headers)
        #expect(dead.wireSize <= 8_192 - 3_000)
        #expect(dead["x-martlet-part"] == text(1_000) && dead["x-martlet-attempt"] == 2)
        #expect(dead["mine"] == nil && dead["x-martlet-lane"] == nil && dead["x-martlet-first-attempt-at"] == nil)
    }
}
