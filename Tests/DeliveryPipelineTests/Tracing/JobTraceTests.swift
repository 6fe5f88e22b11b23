import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import TestSupport
import Testing
import Traces

/// Tests of the spans that the pipeline records for a job.
@Suite struct JobTraceTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    private static let process = "process martlet.jobs:normal:martlet.jobs.normal"
    private static let traced = AMQPProperties(headers: ["traceparent": .string(parent), "tracestate": "a=1,b=2"])

    private let recorder = SpanRecorder()

    private func harness(
        _ sampler: String = "parentbased_always_on", share: Double = 1, chunkSize: Int = 500
    ) throws -> PipelineHarness {
        let tracer = try recorder.tracer(sampler, share: share)
        return PipelineHarness {
            $0.tracer = tracer
            $0.limits.chunkSize = chunkSize
        }
    }

    private func context(_ publication: AMQPPublication) throws -> TraceContext {
        try #require(TraceContext(traceparent: publication.properties.headers["traceparent"]?.string ?? ""))
    }

    /// Reports the outcomes of the first job, and confirms all its messages and marks.
    private func finish(_ harness: PipelineHarness, _ verdicts: [Outcome.Verdict] = [.sent, .sent]) throws {
        harness.report(try harness.job(0), verdicts, reason: "Busy")
        for mark in harness.marks { harness.written(mark) }
        harness.flush()
        harness.publisher(.confirmed(harness.published.map(\.id)))
    }

    // MARK: Trace contexts

    @Test func continuesTraceOfPublisher() throws {
        let harness = try harness()
        harness.deliver(jobBody(), number: 7, properties: Self.traced)
        #expect(recorder.spans.isEmpty, "the job is still open")
        harness.pass(seconds: 2)
        try finish(harness)
        #expect(recorder.names == [Self.process, "route", "push apns", "send martlet.results"])
        let process = try recorder.span("process")
        let parent = try #require(TraceContext(traceparent: Self.parent))
        #expect(process.context.trace == parent.trace && process.parent == parent.span && process.parentIsRemote)
        #expect(process.links == [Span.Link(parent, state: "a=1,b=2")] && process.state == "a=1,b=2")
        #expect(process.kind == .consumer && process.error == nil)
        #expect(process.start == now && process.end == Timestamp(seconds: now.seconds + 2))
        for child in recorder.spans.dropFirst() {
            #expect(child.context.trace == parent.trace && child.parent == process.context.span && child.links == [])
            #expect(child.state == "a=1,b=2" && !child.parentIsRemote)
        }
        #expect(Set(recorder.spans.map(\.context.span)).count == 4)
        let event = try harness.event(0)
        #expect(try context(event) == process.context)
        #expect(event.properties.headers["tracestate"] == "a=1,b=2")
    }

    @Test func startsTraceForJobWithoutOne() throws {
        let harness = try harness()
        harness.deliver(jobBody())
        try finish(harness)
        let process = try recorder.span("process")
        #expect(process.parent == nil && process.links == [] && process.state == nil)
        #expect(try context(try harness.event(0)) == process.context)
    }

    @Test(arguments: ["none", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"])
    func forwardsUnsampledTraceUnchanged(traceparent: String) throws {
        let harness = try harness("parentbased_traceidratio", share: 0)
        harness.deliver(
            jobBody(),
            properties: AMQPProperties(headers: ["traceparent": .string(traceparent), "tracestate": "a=1"]))
        try finish(harness)
        #expect(recorder.spans.isEmpty)
        #expect(try harness.event(0).properties.headers["traceparent"]?.string == traceparent)
        #expect(try harness.event(0).properties.headers["tracestate"] == "a=1")
    }

    @Test func forwardsTraceWithoutTracer() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(), properties: Self.traced)
        harness.report(try harness.job(0), [.sent, .sent])
        #expect(try harness.event(0).properties.headers["traceparent"]?.string == Self.parent)
        #expect(try harness.event(0).properties.headers["tracestate"] == "a=1,b=2")
    }

    @Test func dropsInvalidTracestate() throws {
        let harness = PipelineHarness()
        harness.deliver(
            jobBody(),
            properties: AMQPProperties(headers: ["traceparent": .string(Self.parent), "tracestate": "no state"]))
        harness.report(try harness.job(0), [.sent, .retry])
        #expect(harness.published.count == 2)
        for publication in harness.published {
            #expect(publication.properties.headers["traceparent"]?.string == Self.parent)
            #expect(publication.properties.headers["tracestate"] == nil)
        }
    }

    // MARK: Attributes

    @Test func followsSemanticConventions() throws {
        let harness = try harness()
        harness.deliver(
            jobBody(), number: 7,
            properties: AMQPProperties(headers: ["traceparent": .string(Self.parent)], messageID: "m-1"))
        let job = try harness.job(0)
        harness.report(
            job,
            [
                job.outcome(0, .sent, status: 200),
                job.outcome(1, .rejected, status: 400, reason: "BadDeviceToken", providerID: try .sample()),
            ])
        harness.publisher(.confirmed(harness.published.map(\.id)))
        let process = try recorder.span("process")
        for (key, value) in [
            "messaging.system": "rabbitmq", "messaging.operation.name": "process",
            "messaging.operation.type": "process",
            "messaging.destination.name": "martlet.jobs:normal:martlet.jobs.normal",
            "messaging.rabbitmq.destination.routing_key": "normal", "messaging.rabbitmq.message.delivery_tag": "7",
            "messaging.message.id": "m-1", "messaging.message.body.size": "\(jobBody().utf8.count)",
            "martlet.job": "order-1", "martlet.app": "com.example.shop", "martlet.output": "apns",
            "martlet.lane": "normal", "martlet.recipients": "2", "martlet.attempt": "1",
            "martlet.redelivered": "false", "martlet.outcomes.sent": "1", "martlet.outcomes.rejected": "1",
        ] { #expect(process[key] == value, "\(key)") }
        #expect(process.events == [] && process["error.type"] == nil)
        let route = try recorder.span("route")
        #expect(route.kind == .internal && route["martlet.credential"] == "credential-1")
        #expect(route["martlet.way"] == "sent" && route["martlet.environment"] == "production")
        let push = try recorder.span("push")
        #expect(push.kind == .client && push.error == nil)
        #expect(push["martlet.statuses.200"] == "1" && push["martlet.statuses.400"] == "1")
        #expect(push["martlet.outcomes.sent"] == "1" && push["martlet.outcomes.rejected"] == "1")
        #expect(push.events.count == 1)
        let attributes = push.events.first?.attributes ?? []
        #expect(
            attributes == [
                .init("martlet.outcome", .text("rejected")), .init("martlet.reason", .text("BadDeviceToken")),
                .init("martlet.count", .integer(1)),
                .init("martlet.provider_id", .text("eabeae54-14a8-11e5-b60b-1697f925ec7b")),
            ])
        let send = try recorder.span("send")
        #expect(send.kind == .producer && send["messaging.operation.type"] == "send")
        #expect(send["messaging.destination.name"] == "martlet.results")
        #expect(send["messaging.batch.message_count"] == "2" && send["martlet.outcomes"] == "2")
    }

    @Test(arguments: [
        (JobQueue.lane(.normal), "martlet.jobs:normal:martlet.jobs.normal"),
        (.waiting(.bulk, 0), "martlet.moved:bulk.waiting.0:martlet.jobs.bulk.waiting.0"),
        (.suspects, "martlet.moved:suspects:martlet.jobs.suspects"),
    ])
    func namesQueueOfDelivery(queue: JobQueue, destination: String) throws {
        let harness = try harness()
        harness.deliver([AMQPDelivery.sample(jobBody(), number: 1, from: queue)])
        try finish(harness)
        #expect(try recorder.span("process")["messaging.destination.name"] == destination)
    }

    /// A span has at most eight reasons and statuses, regardless of the number of recipients.
    @Test func limitsNumberOfReasons() throws {
        let harness = try harness()
        let tokens = (0..<100).map { "\"\(String($0 + 0x1_0000, radix: 16))\"" }.joined(separator: ",")
        harness.deliver(#"{"id":"many","app":"com.example.shop","payload":{},"recipients":[\#(tokens)]}"#)
        let job = try harness.job(0)
        harness.report(job, (0..<100).map { job.outcome($0, .failed, status: 400 + $0, reason: "Reason\($0 % 20)") })
        harness.publisher(.confirmed(harness.published.map(\.id)))
        let push = try recorder.span("push")
        #expect(recorder.spans.count == 4 && push.events.count == 8)
        #expect(push.attributes.count { $0.key.hasPrefix("martlet.statuses.") } == 8)
        #expect(push["martlet.outcomes.failed"] == "100" && push.error == "Reason0" && push["error.type"] == "Reason0")
    }

    @Test func excludesTokensRefsAndPayloads() throws {
        let harness = try harness()
        harness.deliver(jobBody(), properties: Self.traced)
        try finish(harness, [.rejected, .unregistered])
        for span in recorder.spans {
            let text = "\(span)"
            for secret in ["aa01", "aa02", "user \"2\"", "Shipp", "own"] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    @Test func addsTraceIDsToLogLine() throws {
        let (log, tracer) = (LogRecorder(), try recorder.tracer())
        let harness = PipelineHarness(logger: log.logger("test")) {
            $0.tracer = tracer
            $0.limits.jobLog = .all
        }
        harness.deliver(jobBody(), properties: Self.traced)
        try finish(harness)
        let process = try recorder.span("process").context
        #expect(log.text.contains("\"trace_id\": \(process.trace)"), "\(log.text)")
        #expect(log.text.contains("\"span_id\": \(process.span)"), "\(log.text)")
    }

    // MARK: Paths of a job

    @Test func tracesMarkingOfDeadTokens() throws {
        let harness = try harness()
        harness.deliver(jobBody(), properties: Self.traced)
        harness.report(try harness.job(0), [.sent, .unregistered])
        harness.pass(seconds: 3)
        harness.written(try harness.mark(0))
        harness.flush()
        harness.publisher(.confirmed(harness.published.map(\.id)))
        #expect(recorder.names == [Self.process, "route", "push apns", "send martlet.results", "mark tokens"])
        let mark = try recorder.span("mark")
        #expect(mark["martlet.tokens"] == "1" && mark.kind == .client && mark.error == nil)
        #expect(mark.start == now && mark.end == Timestamp(seconds: now.seconds + 3))
    }

    @Test func omitsPushSpanOfSuppressedJob() throws {
        let harness = try harness()
        harness.deliver(jobBody(), properties: Self.traced)
        try finish(harness, [.suppressed, .suppressed])
        #expect(recorder.names == [Self.process, "route", "send martlet.results"])
        #expect(try recorder.span("process")["martlet.outcomes.suppressed"] == "2")
    }

    @Test func reportsFailedMarkAsError() throws {
        let tracer = try recorder.tracer()
        let harness = PipelineHarness(brokerUser: "worker") { $0.tracer = tracer }
        harness.deliver(jobBody(), properties: Self.traced)
        harness.report(try harness.job(0), [.unregistered, .unregistered])
        harness.passMarkPatience()
        harness.flush()
        let held = try #require(harness.published.last)
        #expect(held.properties.headers["tracestate"] == "a=1,b=2")
        harness.publisher(.confirmed(harness.published.map(\.id)))
        let mark = try recorder.span("mark")
        #expect(mark.error == "database_unavailable" && mark["martlet.tokens"] == "2")
        #expect(try context(held) == (try recorder.span("process")).context)
        // The event returns, and is published with the same trace.
        harness.written(try harness.mark(0))
        harness.deliver([.sample(String(decoding: held.body, as: UTF8.self), number: 2, properties: held.properties)])
        harness.flush()
        harness.written(try #require(harness.marks.last))
        harness.flush()
        let event = try #require(harness.events.last)
        #expect(event.properties.headers["traceparent"] == held.properties.headers["traceparent"])
        #expect(event.properties.headers["tracestate"] == "a=1,b=2")
        #expect(recorder.spans.count == 4, "a held event must have no trace of its own")
    }

    @Test func linksRetryToFirstAttempt() throws {
        let harness = try harness()
        harness.deliver(jobBody())
        try finish(harness, [.retry, .sent])
        let first = try recorder.span("process")
        #expect(first["martlet.outcomes.retry"] == "1")
        let retry = try #require(harness.published.first { $0.exchange.hasPrefix("martlet.delay") })
        #expect(try context(retry) == first.context)
        harness.deliver(
            [.sample(String(decoding: retry.body, as: UTF8.self), number: 2, properties: retry.properties)])
        harness.report(try harness.job(1), [.sent])
        harness.publisher(.confirmed(harness.published.map(\.id)))
        let second = try #require(recorder.spans.last { $0.name == Self.process })
        #expect(second.context.trace == first.context.trace && second.parent == first.context.span)
        #expect(second.links.map(\.context) == [first.context] && second["martlet.attempt"] == "2")
        #expect(recorder.spans.count == 8)
    }

    @Test func linksChunksToSplit() throws {
        let harness = try harness(chunkSize: 1)
        harness.deliver(jobBody())
        let named = try #require(harness.published.first)
        harness.confirm(named)
        #expect(recorder.names == [Self.process, "route"])
        #expect(try recorder.span("route")["martlet.way"] == "moved")
        harness.deliver(
            [.sample(String(decoding: named.body, as: UTF8.self), number: 2, properties: named.properties)])
        let chunks = harness.published.dropFirst()
        harness.publisher(.confirmed(chunks.map(\.id)))
        #expect(recorder.names.dropFirst(2) == [Self.process, "route", "scatter martlet.moved:normal.returned"])
        let (first, second) = (recorder.spans[0], recorder.spans[2])
        let scatter = try recorder.span("scatter")
        #expect(second.links.map(\.context) == [first.context] && scatter.parent == second.context.span)
        #expect(scatter.kind == .producer && scatter["messaging.batch.message_count"] == "2")
        #expect(try chunks.map(context) == [scatter.context, scatter.context])
        #expect(recorder.spans[3]["martlet.way"] == "scattered")
        let chunk = try #require(chunks.first)
        harness.deliver(
            [.sample(String(decoding: chunk.body, as: UTF8.self), number: 3, properties: chunk.properties)])
        try harness.grantClaims()
        harness.report(try harness.job(0), [.sent])
        harness.publisher(.confirmed(harness.published.map(\.id)))
        let third = try #require(recorder.spans.last { $0.name == Self.process })
        #expect(third.links.map(\.context) == [scatter.context] && third.context.trace == first.context.trace)
        let route = try #require(recorder.spans.last { $0.name == "route" })
        #expect(route["martlet.claimed"] == "true")
        #expect(recorder.spans.count == 9)
    }

    @Test func forwardsTraceOfHeldJob() throws {
        let tracer = try recorder.tracer()
        let harness = PipelineHarness(credentials: [.sample(notAfter: now)]) { $0.tracer = tracer }
        harness.deliver(jobBody(), properties: Self.traced)
        let held = try #require(harness.published.first)
        harness.confirm(held)
        #expect(recorder.names == [Self.process, "route"])
        #expect(try context(held) == (try recorder.span("process")).context)
        #expect(held.properties.headers["tracestate"] == "a=1,b=2")
    }

    @Test(arguments: ["{broken", jobBody(app: "com.example.unknown")])
    func reportsRejectedJobAsError(body: String) throws {
        let harness = try harness()
        harness.deliver(body, properties: Self.traced)
        harness.publisher(.confirmed(harness.published.map(\.id)))
        #expect(recorder.names == [Self.process])
        let process = try recorder.span("process")
        #expect(process.error == "rejected" && process["error.type"] == "rejected")
        for publication in harness.published { #expect(try context(publication) == process.context) }
    }

    @Test func recordsNoSpanForRequeuedJob() throws {
        let harness = try harness()
        harness.drain()
        harness.deliver(jobBody(), properties: Self.traced)
        let back = try #require(harness.published.first)
        harness.confirm(back)
        #expect(recorder.spans.isEmpty)
        #expect(back.properties.headers["traceparent"]?.string == Self.parent)
        #expect(back.properties.headers["tracestate"] == "a=1,b=2")
    }

    @Test func reportsJobDroppedOnLostConnectionAsError() throws {
        let harness = try harness(chunkSize: 1)
        for number in 1...33 { harness.deliver(jobBody("job-\(number)"), number: UInt64(number)) }
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        #expect(recorder.names == [Self.process, "route"], "only the waiting job must be traced")
        #expect(try recorder.span("process").error == "connection_lost")
    }

    /// The output already has the job, so the job continues.
    @Test func continuesTraceAfterLostConnection() throws {
        let harness = try harness()
        harness.deliver(jobBody(), properties: Self.traced)
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        #expect(recorder.spans.isEmpty)
        try finish(harness)
        #expect(recorder.spans.count == 4)
    }
}
