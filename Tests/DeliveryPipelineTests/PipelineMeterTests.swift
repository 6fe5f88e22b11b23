import AMQPClient
import Contract
import DeliveryPipeline
import Metering
import PushModel
import Testing

/// The pipeline's metrics that are not part of `PipelineCounts`.
@Suite struct PipelineMeterTests {
    private let registry = MetricRegistry()
    private let meter: PipelineMeter
    private let harness: PipelineHarness

    init() {
        let meter = PipelineMeter(
            registry, delays: RetryPolicy.defaultDelays, mostApps: 1, reasons: ["apns": ["BadDeviceToken"]])
        self.meter = meter
        harness = PipelineHarness(brokerUser: "worker") { $0.meter = meter }
        harness.publisher(.connected)
    }

    private func shown(_ family: MetricFamily) -> [String] {
        registry.page().text(.text, [family]).split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") && !$0.hasSuffix(" 0") }
    }

    private func properties(published: Int64) -> AMQPProperties {
        AMQPProperties(messageID: "order-1", timestamp: UInt64(now.seconds + published))
    }

    @Test func countsBrokerConnectionsByResult() {
        let error = AMQPError(.connectionFailed, "gone")
        func consumer(_ event: AMQPConsumerEvent) {
            harness.core.received(event, of: JobQueue.connections[0])
            harness.finishTurn()
        }
        consumer(.disconnected(error))
        consumer(.disconnected(error))
        consumer(.connected(queues: []))
        consumer(.disconnected(error))
        consumer(.disconnected(error))
        consumer(.connected(queues: []))
        consumer(.closed(nil))
        harness.publisher(.blocked(reason: "low on memory"))
        harness.publisher(.unblocked)
        harness.publisher(.disconnected(error))
        harness.publisher(.closed(unconfirmed: [], nil))
        #expect(
            shown(.connects) == [
                #"martlet_connects_total{target="broker",result="failed"} 3"#,
                #"martlet_connects_total{target="broker",result="lost"} 2"#,
                #"martlet_connects_total{target="broker",result="ok"} 3"#,
            ])
    }

    @Test func measuresJobAgeAndOutcomeTime() throws {
        harness.deliver(jobBody(), lane: .urgent, properties: properties(published: -3))
        #expect(shown(.jobAge).contains(#"martlet_job_age_seconds_sum{lane="urgent"} 3"#))
        #expect(shown(.jobAge).contains(#"martlet_job_age_seconds_bucket{lane="urgent",le="5.0"} 1"#))
        harness.report(try harness.job(0), [.sent, .sent])
        harness.pass(seconds: 4)
        #expect(shown(.outcomeTimes) == [])
        harness.confirmAllEvents()
        #expect(shown(.outcomeTimes).contains(#"martlet_outcome_seconds_sum{lane="urgent",attempt="first"} 14"#))
        #expect(shown(.outcomeTimes).contains(#"martlet_outcome_seconds_count{lane="urgent",attempt="first"} 2"#))
        #expect(shown(.settleTimes).contains(#"martlet_settle_seconds_sum{sink="broker"} 4"#))
    }

    @Test func measuresRetriedJobFromFirstPublication() throws {
        harness.deliver(jobBody(), properties: properties(published: -3))
        harness.report(try harness.job(0), [.retry, .retry])
        #expect(shown(.retries) == [#"martlet_retries_total{delay="5"} 2"#])
        let again = try #require(harness.published.last)
        #expect(again.properties.headers[JobHeader.since] == .int64((now.seconds - 3) * 1_000))
        harness.confirm(again)
        harness.pass(seconds: 5)
        harness.deliver(
            String(decoding: again.body, as: UTF8.self), number: 2, properties: again.properties)
        harness.report(try harness.job(1), [.sent, .sent])
        harness.confirmAllEvents()
        #expect(shown(.outcomeTimes).contains(#"martlet_outcome_seconds_sum{lane="normal",attempt="later"} 16"#))
        #expect(shown(.jobAge).contains(#"martlet_job_age_seconds_count{lane="normal"} 1"#), "must be measured once")
    }

    @Test func toleratesWrongClockOfPublisher() throws {
        harness.deliver(jobBody("ahead"), properties: properties(published: 500))
        #expect(shown(.jobAge).contains(#"martlet_job_age_seconds_bucket{lane="normal",le="0.01"} 1"#))
        harness.deliver(jobBody("absurd"), number: 2, properties: properties(published: -now.seconds))
        harness.deliver(jobBody("overflow"), number: 3, properties: AMQPProperties(timestamp: .max))
        harness.deliver(jobBody("none"), number: 4)
        #expect(shown(.jobAge).contains(#"martlet_job_age_seconds_count{lane="normal"} 1"#))
        #expect(harness.output.jobs.count == 4)
    }

    @Test func prefersTimestampOfBroker() throws {
        var properties = properties(published: -100)
        properties.headers["timestamp_in_ms"] = .int64(now.milliseconds - 250)
        harness.deliver(jobBody(), properties: properties)
        #expect(shown(.jobAge).contains(#"martlet_job_age_seconds_sum{lane="normal"} 0.25"#))
    }

    @Test func countsOnlyRegisteredAppsByName() throws {
        harness.deliver(jobBody("early"))
        harness.report(try harness.job(0), [.sent, .sent])
        #expect(shown(.pushesByApp) == [#"martlet_pushes_total{app="unknown",kind="sent"} 2"#])
        meter.apps.know(["com.example.shop", "com.example.zoo"])
        harness.deliver(jobBody("late"), number: 2)
        harness.report(try harness.job(1), [.sent, .rejected], reason: "BadDeviceToken")
        #expect(
            shown(.pushesByApp) == [
                #"martlet_pushes_total{app="com.example.shop",kind="rejected"} 1"#,
                #"martlet_pushes_total{app="com.example.shop",kind="sent"} 1"#,
                #"martlet_pushes_total{app="unknown",kind="sent"} 2"#,
            ])
        let text = registry.page().text(.text, [.pushesByApp])
        #expect(text.contains("app=\"other\"") && !text.contains("zoo"), "only one app may have its own series")
    }

    @Test func countsPushesByOutputAndResult() throws {
        harness.deliver(jobBody())
        harness.report(try harness.job(0), [.sent, .rejected], reason: "BadDeviceToken")
        harness.deliver(jobBody("second"), number: 2)
        harness.report(try harness.job(1), [.retry, .unregistered])
        harness.deliver(jobBody("third"), number: 3)
        harness.report(try harness.job(2), [.hold, .returned])
        #expect(
            shown(.pushesByOutput) == [
                #"martlet_output_pushes_total{output="apns",result="refused"} 2"#,
                #"martlet_output_pushes_total{output="apns",result="retried"} 2"#,
                #"martlet_output_pushes_total{output="apns",result="sent"} 1"#,
            ])
    }

    @Test func countsUnknownReasonsAsOther() throws {
        harness.deliver(jobBody())
        let job = try harness.job(0)
        harness.report(
            job,
            [
                job.outcome(0, .rejected, status: 400, reason: "BadDeviceToken", judge: .provider),
                job.outcome(1, .rejected, status: 400, reason: "evil\n# EOF", judge: .provider),
            ])
        harness.deliver(jobBody("second"), number: 2)
        harness.report(try harness.job(1), [.failed, .failed], reason: Outcome.cancelled)
        #expect(
            shown(.reasons) == [
                #"martlet_reasons_total{output="apns",by="martlet",reason="Cancelled"} 2"#,
                #"martlet_reasons_total{output="apns",by="provider",reason="BadDeviceToken"} 1"#,
                #"martlet_reasons_total{output="apns",by="provider",reason="other"} 1"#,
            ])
        #expect(
            shown(.attempts) == [
                #"martlet_attempts_total{result="failed"} 2"#, #"martlet_attempts_total{result="rejected"} 2"#,
            ])
    }
}
