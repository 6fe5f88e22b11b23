import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Testing

@Suite struct ScheduleTests {
    @Test(arguments: [0, 1, 999, 1_000, 1_001, 4_999, 5_000, 31_000, 86_399_999, 7_775_999_000] as [Int64])
    func endsDelaysLessThanASecondAfterDueTime(milliseconds: Int64) {
        let due = Timestamp(milliseconds: now.milliseconds + milliseconds)
        var time = now
        var steps = 0
        while let delay = ScheduleDelays.next(until: due, now: time) {
            time = Timestamp(milliseconds: time.milliseconds + Int64(delay) * 1000)
            steps += 1
        }
        #expect(time >= due && time.milliseconds - due.milliseconds < 1_000)
        #expect(steps < 400, "\(steps) steps")
    }

    private func scheduled(in seconds: Int64) -> String { jobBody(more: #""send_at":\#(now.seconds + seconds),"#) }

    @Test func delaysScheduledJobInBroker() throws {
        let harness = PipelineHarness()
        harness.deliver(scheduled(in: 200), number: 1)
        #expect(harness.moved == ["martlet.delay.120 normal.returned"])
        let waiting = try #require(harness.published.first)
        #expect(waiting.body == Array(scheduled(in: 200).utf8))
        #expect(waiting.properties.headers["x-martlet-first-attempt-at"] == nil)
        harness.confirm(waiting)
        #expect(harness.acknowledged == [1])
        harness.pass(seconds: 200)
        harness.deliver(scheduled(in: 200), number: 2, properties: waiting.properties)
        #expect(harness.started == ["order-1"])
        #expect(try harness.job(0).attempt == 1)
    }

    @Test(
        arguments: [
            (#""send_at":"tomorrow","#, "send_at"), (#""send_at":1807776001,"#, "send_at"),
            (#""send_at":1800000100,"expires_at":1800000100,"#, "expires_at"),
        ])
    func rejectsImpossibleTime(field: String, name: String) throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(more: field))
        let errors = try JSON.objects(try JSON.object(try harness.event(0).body)["errors"])
        #expect(errors.map { $0["field"] as? String } == [name])
    }

    @Test func appliesAndRevokesCancellation() throws {
        let harness = PipelineHarness()
        harness.cancellations(
            .changed([
                .init(job: "order-1", isCancelled: true), .init(job: "order-2", isCancelled: true),
                .init(job: "order-1", isCancelled: false),
            ]))
        harness.deliver(jobBody("order-1"), number: 1)
        harness.deliver(jobBody("order-2"), number: 2)
        #expect(harness.started == ["order-1"])
    }

    @Test func doesNotSendCancelledJob() throws {
        let harness = PipelineHarness()
        harness.cancellations(.loaded(CancelledJobs(["order-1"])))
        harness.deliver(scheduled(in: 200), number: 1)
        harness.deliver(jobBody(), number: 2)
        harness.deliver(jobBody("order-2"), number: 3)
        harness.flush()
        #expect(harness.started == ["order-2"])
        #expect(
            try harness.outcomes().map { "\($0["job"] ?? "") \($0["kind"] ?? "") \($0["reason"] ?? "")" }
                == Array(repeating: "order-1 failed Cancelled", count: 4))
    }
}
