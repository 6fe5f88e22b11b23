import AMQPClient
import DeliveryPipeline
import Dispatch
import PushModel
import Store
import Testing

@Suite struct MarkingTests {
    private func jobOfDeadTokens(_ harness: PipelineHarness, count: Int = 2, number: UInt64 = 1) throws -> RoutedJob {
        let tokens = (0..<count).map { "\"\(String($0, radix: 16))\"" }.joined(separator: ",")
        harness.deliver(
            #"{"id":"\#(number)","app":"com.example.shop","payload":{},"recipients":[\#(tokens)]}"#, number: number)
        return try #require(harness.output.jobs.last)
    }

    @Test func marksTokenWithTimeAndReason() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(more: #""environment":"sandbox","#))
        let job = try harness.job(0)
        let died = Timestamp(milliseconds: 1_799_999_999_123)
        harness.report(
            job,
            [
                job.outcome(0, .unregistered, reason: "ExpiredToken", unregisteredAt: died),
                job.outcome(1, .unregistered),
            ])
        let marks = harness.marks.flatMap(\.marks).map {
            "\($0.key.output) \($0.key.app) \($0.key.environment) \($0.key.token) \($0.unregisteredAt.rfc3339) "
                + "\($0.reason) \($0.registeredAt?.rfc3339 ?? "-")"
        }
        #expect(
            marks == [
                "apns com.example.shop sandbox aa01 2027-01-15T07:59:59.123Z ExpiredToken -",
                "apns com.example.shop sandbox aa02 2027-01-15T08:00:00.000Z Unregistered 2023-11-14T22:13:20.000Z",
            ])
        #expect(try harness.outcomes().isEmpty, "publish the event after the marks")
        harness.written(try harness.mark(0))
        harness.flush()
        let told = try harness.outcomes().map { [$0["reason"], $0["unregistered_at"]] }
        #expect(
            told == [
                ["ExpiredToken", "2027-01-15T07:59:59.123Z"], ["Unregistered", "2027-01-15T08:00:00.000Z"],
            ])
    }

    @Test func gathersMarksDuringStatement() throws {
        let harness = PipelineHarness()
        let first = try jobOfDeadTokens(harness, number: 1)
        harness.report(first, [.unregistered, .unregistered])
        let second = try jobOfDeadTokens(harness, number: 2)
        harness.report(second, [.unregistered, .unregistered])
        #expect(harness.marks.map(\.marks.count) == [2], "only one statement may run at a time")
        #expect(harness.timers == [], "no timer may run during a statement")
        harness.written(try harness.mark(0))
        harness.flush()
        #expect(harness.marks.map(\.marks.count) == [2, 2])
        try harness.confirmEvent(0)
        #expect(harness.acknowledged == [1])
        harness.written(try harness.mark(1))
        harness.flush()
        try harness.confirmEvent(1)
        #expect(harness.acknowledged == [1, 2])
    }

    @Test func writesFullBatchAtOnce() throws {
        let harness = PipelineHarness { $0.limits.chunkSize = 10_000 }
        let job = try jobOfDeadTokens(harness, count: 1_000)
        harness.core.report(job.job.recipients.indices.map { job.outcome($0, .unregistered) })
        harness.core.queue.sync {}
        #expect(harness.marks.map(\.marks.count) == [1_000])
    }

    /// After a database outage, many held events return at once. Marking their tokens needs several statements.
    @Test func writesNewMarksBeforeWaitingOnes() throws {
        let harness = PipelineHarness(brokerUser: "worker")
        let job = try jobOfDeadTokens(harness, count: 1, number: 1)
        let outcomes = (0..<600).map {
            #"{"recipient":"\#($0)","reason":"Unregistered","unregistered_at":"2026-11-01T00:00:00Z"}"#
        }
        let properties = AMQPProperties(
            headers: ["x-martlet-event": "apns.unregistered.com.example.shop", "x-martlet-marks": true],
            userID: "worker")
        harness.deliver(
            (2...6).map { number in
                .sample(
                    #"{"output":"apns","app":"com.example.shop","environment":"production","outcomes":["#
                        + outcomes.joined(separator: ",") + "]}", number: number, properties: properties)
            })
        harness.report(job, [.unregistered])
        #expect(harness.marks.map(\.marks.count) == [1_200])
        harness.written(try harness.mark(0))
        #expect(harness.marks.map(\.marks.count) == [1_200, 1_201])
        #expect(try harness.mark(1).marks.first?.key.token == "0")
        harness.written(try harness.mark(1))
        harness.written(try harness.mark(2))
        harness.flush()
        #expect(harness.marks.map(\.marks.count) == [1_200, 1_201, 600])
        #expect(try harness.outcomes().count == 3_001)
    }

    @Test func drainWaitsForMarks() throws {
        let harness = PipelineHarness()
        let job = try jobOfDeadTokens(harness)
        harness.drain()
        harness.report(job, [.unregistered, .unregistered])
        #expect(harness.drained == 0 && harness.events.isEmpty)
        harness.written(try harness.mark(0))
        harness.flush()
        for event in harness.events { harness.confirm(event) }
        #expect(harness.acknowledged == [1])
        #expect(harness.drained == 1)
    }
}
