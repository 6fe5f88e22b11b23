import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

/// Jobs that AMQP 1.0 publishers sent without a data section.
@Suite struct EncodedJobTests {
    private func deliver(_ body: [UInt8], to harness: PipelineHarness) {
        let delivery = AMQPDelivery.sample("", properties: AMQPProperties(messageID: "m-1", type: "amqp-1.0"))
        harness.deliver([
            AMQPDelivery(
                tag: delivery.tag, isRedelivered: false, exchange: "martlet.jobs", routingKey: "normal",
                properties: delivery.properties, body: body)
        ])
    }

    private func encoded(_ job: String) -> [UInt8] {
        let length = (0..<4).map { UInt8(truncatingIfNeeded: job.utf8.count >> (24 - 8 * $0)) }
        return [0x00, 0x53, 0x77, 0xB1] + length + Array(job.utf8)
    }

    @Test func sendsJobPublishedAsString() throws {
        let harness = PipelineHarness()
        deliver(encoded(jobBody()), to: harness)
        let job = try harness.job(0)
        #expect(String(decoding: job.job.bytes(job.job.payload), as: UTF8.self).contains(#""n":1.0"#))
        harness.report(job, [.sent, .retry])
        let retry = try #require(harness.published.first { $0.exchange == "martlet.delay.5" })
        #expect(retry.properties.type == nil && retry.body.first == UInt8(ascii: "{"), "the retry must be plain JSON")
        #expect(try decodedJob(String(decoding: retry.body, as: UTF8.self)).recipients.count == 1)
    }

    @Test func movesJobUnchanged() throws {
        let body = encoded(jobBody(more: #""send_at":1800000900,"#))
        let harness = PipelineHarness()
        deliver(body, to: harness)
        let move = try #require(harness.published.first)
        #expect(move.body == body && move.properties.type == "amqp-1.0")
    }

    @Test(
        arguments: [
            ([0x00, 0x53, 0x77, 0xC1, 1, 0], "is a map, sent with AMQP 1.0"),
            ([0x00, 0x53, 0x76, 0x45], "is an amqp-sequence, sent with AMQP 1.0"),
            ([0x00, 0x53, 0x77, 0xB1], "is not a readable AMQP 1.0 body"),
        ] as [([UInt8], String)])
    func rejectsOtherBodyAndExplainsCorrection(body: [UInt8], problem: String) throws {
        let harness = PipelineHarness()
        deliver(body, to: harness)
        let event = try JSON.object(try harness.event(0).body)
        let fault = try #require(try JSON.objects(event["errors"]).first)
        #expect(event["job"] as? String == "m-1" && fault["field"] as? String == "body")
        #expect(
            fault["problem"] as? String == "\(problem): send the job as a data section (bytes), or as one string")
        #expect(harness.published.first?.body == body, "the dead letter must be unchanged")
    }

    @Test func rejectsTooLargeBodyWithoutDecoding() throws {
        let harness = PipelineHarness { $0.limits.maximumJobBytes = 10 }
        deliver([0x00] + Array(repeating: 0xFF, count: 100), to: harness)
        let event = try JSON.object(try harness.event(0).body)
        let problem = try JSON.objects(event["errors"]).first?["problem"] as? String
        #expect(problem == "has 101 bytes, more than jobs.maximum_bytes = 10")
    }
}
