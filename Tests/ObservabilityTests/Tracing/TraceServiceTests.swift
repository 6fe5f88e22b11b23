import ConfigurationTestSupport
import Logging
import MartletConfiguration
import Observability
import PushModel
import ServiceLifecycle
import TestSupport
import Testing
import Traces
import WireTestSupport

/// The trace exporter with a simulated collector, over real connections.
@Suite struct TraceServiceTests {
    private let recorder = LogRecorder()
    private let buffer = SpanBuffer()

    private func spans(_ count: Int, _ name: String = "route") throws -> [Span] {
        try (1...count).map { number in
            let trace = try #require(TraceID(high: 1, low: UInt64(number)))
            let id = try #require(SpanID(UInt64(number)))
            return Span(
                name, .internal, TraceContext(trace: trace, span: id, isSampled: true), parent: nil, state: nil,
                from: Timestamp(seconds: 1_800_000_000), to: Timestamp(seconds: 1_800_000_001))
        }
    }

    /// Runs the service while `body` runs, then stops it.
    private func run(
        to url: String, _ variables: [String: String] = [:],
        lastPatience: Duration = .seconds(1), _ body: () async throws -> Void
    ) async throws {
        let source = try await ConfigurationSource(
            file: nil, settings: ["tracing.endpoint=\(url)", "worker.name=push-7"], environment: variables)
        let configuration = try #require(try TracingConfiguration(source))
        let service = TraceService(
            configuration, buffer, lastPatience: lastPatience, logger: recorder.logger("traces"))
        let group = ServiceGroup(services: [service], logger: recorder.logger("group"))
        let work = Task { try await group.run() }
        do {
            try await body()
        } catch {
            Issue.record(error, "\(recorder.text)")
        }
        await group.triggerGracefulShutdown()
        try await work.value
    }

    private func url(_ collector: CollectorDouble) -> String { "http://127.0.0.1:\(collector.server.port)" }

    @Test func sendsSpansAsOTLP() async throws {
        try await CollectorDouble.with { collector in
            try await run(to: url(collector), ["OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20s3cret,x-team=a"])
            {
                buffer.add(try spans(3))
                try await eventually(recorder.text) { collector.spans.count == 3 }
                buffer.add(try spans(1_000))
                try await eventually(recorder.text) { collector.spans.count == 1_003 }
            }
            #expect(collector.problems == [] && collector.bodies.count == 3)
            #expect(collector.server.requests.allSatisfy { $0.fields["authorization"] == "Bearer s3cret" })
            #expect(collector.server.requests.allSatisfy { $0.fields["x-team"] == "a" })
            #expect(buffer.counts == .init(sent: 1_003, dropped: 0, refused: 0))
            #expect(!recorder.text.contains("s3cret"))
        }
    }

    @Test func trustsConfiguredCertificateAuthority() async throws {
        try await CollectorDouble.with(protocols: ["http/1.1"]) { collector in
            let file = try #require(collector.server.authorityFile)
            let url = "https://localhost:\(collector.server.port)"
            try await run(to: url, ["OTEL_EXPORTER_OTLP_CERTIFICATE": file]) {
                buffer.add(try spans(2))
                try await eventually(recorder.text) { collector.spans.count == 2 }
            }
            #expect(collector.problems == [])
            try await run(to: url) {
                buffer.add(try spans(2))
                try await eventually("the failure is logged") { recorder.text.contains("cannot be sent") }
            }
            #expect(recorder.text.contains("its certificate is not trusted"), "\(recorder.text)")
            #expect(!recorder.text.contains("BoringSSL") && !recorder.text.contains(".cc"), "\(recorder.text)")
            #expect(collector.spans.count == 2)
        }
    }

    @Test func sendsRemainingSpansOnStop() async throws {
        try await CollectorDouble.with { collector in
            try await run(to: url(collector), lastPatience: .seconds(60)) {
                buffer.add(try spans(1))
                try await eventually(recorder.text) { collector.spans.count == 1 }
                buffer.add(try spans(700))
            }
            #expect(collector.spans.count == 701, "\(recorder.text)")
        }
    }

    @Test(arguments: [429, 502, 503, 504])
    func honoursRetryAfterOnTemporaryFailure(status: Int) async throws {
        try await CollectorDouble.with([.answer(status, "later", fields: ["retry-after: 3"])]) { collector in
            let start = ContinuousClock.now
            try await run(to: url(collector)) {
                buffer.add(try spans(3))
                try await eventually(recorder.text) { collector.spans.count == 3 }
            }
            #expect(ContinuousClock.now - start >= .seconds(3))
            #expect(collector.bodies.count == 2 && collector.bodies.first == collector.bodies.last)
            #expect(buffer.counts == .init(sent: 3, dropped: 0, refused: 0))
            #expect(recorder.text.contains("status \(status)") && recorder.text.contains("accepts traces again"))
        }
    }

    @Test func retriesAfterLostConnection() async throws {
        try await CollectorDouble.with([.end(), .end("HTTP/1.1 200 OK\r\ncontent-le")]) { collector in
            try await run(to: url(collector)) {
                buffer.add(try spans(3))
                try await eventually(recorder.text) { collector.spans.count == 3 }
            }
            #expect(collector.bodies.count == 3 && buffer.counts == .init(sent: 3, dropped: 0, refused: 0))
        }
    }

    @Test(arguments: [#""2""#, "2"])
    func doesNotRetryPartialSuccess(rejected: String) async throws {
        let answer = #"{"partialSuccess":{"rejectedSpans":\#(rejected),"errorMessage":"too \u001b[31m old"}}"#
        try await CollectorDouble.with([.answer(200, answer)]) { collector in
            try await run(to: url(collector)) {
                buffer.add(try spans(3, "first"))
                try await eventually(recorder.text) { buffer.counts == .init(sent: 1, dropped: 0, refused: 2) }
                buffer.add(try spans(1, "second"))
                try await eventually(recorder.text) { collector.names == ["second"] }
            }
            #expect(collector.bodies.count == 2 && recorder.text.contains("too"))
        }
    }

    @Test(arguments: [400, 401, 404, 500, 301]) func doesNotRetryPermanentFailure(status: Int) async throws {
        try await CollectorDouble.with([.answer(status, "no", fields: ["retry-after: 1"])]) { collector in
            try await run(to: url(collector)) {
                buffer.add(try spans(3, "first"))
                try await eventually(recorder.text) { buffer.counts == .init(sent: 0, dropped: 0, refused: 3) }
                buffer.add(try spans(1, "second"))
                try await eventually(recorder.text) { collector.names == ["second"] }
            }
            #expect(collector.bodies.count == 2)
        }
    }

    /// The stop does not wait for an answer longer than its time limit, so the spans count as dropped.
    @Test func stopsDespiteSilentCollector() async throws {
        try await CollectorDouble.with([.nothing]) { collector in
            try await run(to: url(collector)) {
                buffer.add(try spans(3))
                try await eventually(recorder.text) { collector.bodies.count == 1 }
                for _ in 0..<10 { buffer.add(try spans(500)) }
                #expect(buffer.count == 2_048 && buffer.counts.dropped == 5_000 - 2_048)
            }
            // All spans count as dropped, including the three that were sent but not answered.
            #expect(buffer.counts == .init(sent: 0, dropped: 5_003, refused: 0))
            #expect(recorder.text.contains("Some spans were not sent before shutdown"), "\(recorder.text)")
            #expect(recorder.text.contains(#""spans": 2051"#), "\(recorder.text)")
        }
    }

    @Test func stopsDespiteUnreachableCollector() async throws {
        let refusing = try RefusingPort()
        try await run(to: "http://127.0.0.1:\(refusing.port)") {
            buffer.add(try spans(3))
            try await eventually(recorder.text) { recorder.text.contains("cannot be sent") }
            buffer.add(try spans(3))
        }
        #expect(buffer.counts == .init(sent: 0, dropped: 6, refused: 0), "\(buffer.counts)")
        #expect(recorder.text.contains("Some spans were not sent before shutdown"), "\(recorder.text)")
        #expect(recorder.text.contains(#""spans": 6"#), "\(recorder.text)")
    }

    @Test func countsEverySpanOnce() throws {
        buffer.add(try spans(10))
        let batch = buffer.take(4)
        buffer.sent(1)
        buffer.refused(1)
        #expect(batch.count == 4 && buffer.counts == .init(sent: 1, dropped: 0, refused: 1))
        buffer.end()
        #expect(buffer.counts == .init(sent: 1, dropped: 8, refused: 1) && buffer.count == 0)
        // An answer that arrives too late must not change the counts.
        buffer.sent(2)
        buffer.end()
        #expect(buffer.counts == .init(sent: 1, dropped: 8, refused: 1))
    }
}
