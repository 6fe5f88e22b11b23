import AMQPClient
import APNSSimulator
import Contract
import DeliveryPipeline
import Foundation
import TestSupport
import TestTraits
import Testing
import WireTestSupport
import WorkerTestSupport

/// The traces that a worker sends to a collector.
@Suite(.needsServers)
struct TraceTests {
    private static let app = "com.example.shop"
    private static let process = "process EXCHANGE.jobs:normal:EXCHANGE.jobs.normal"
    private static let returned = "process EXCHANGE.moved:normal.returned:EXCHANGE.jobs.normal.returned"
    private static let kinds = ["", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"]

    private static let environment = ["OTEL_TRACES_SAMPLER": "parentbased_always_on"]

    private func configuration(_ collector: String, _ changes: [String: String] = [:]) -> [String: String?] {
        var all: [String: String?] = [
            "tracing.endpoint": collector, "retry.delays": "1,2", "jobs.chunk_size": "2",
        ]
        for (key, value) in changes { all[key] = value }
        return all
    }

    /// Returns the names of the spans of a trace, without the prefix that differs between tests.
    private func names(_ spans: [CollectedSpan], of trace: String, _ installation: Installation) -> [String] {
        spans.filter { $0.trace == trace }.map { $0.name.replacing(installation.names.prefix, with: "EXCHANGE") }
            .sorted()
    }

    @Test func sendsSpansForEveryPathOfJob() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let retried = Token.random("bad00503")
            var plain = JobText("plain", app: Self.app, to: Token.random(count: 2))
            plain.recipients[0].ref = "a-ref-of-somebody"
            plain.payload = #"{"aps":{"alert":"what nobody else may read"}}"#
            let jobs = [
                plain,
                JobText("large", app: Self.app, to: Token.random(count: 5)),
                JobText("retried", app: Self.app, to: [retried]),
                JobText("dead", app: Self.app, to: [Token.random(), Token.random(Token.dead)]),
            ]
            let traces = (1...4).map { "0af7651916cd43dd8448eb211c80319\($0)" }
            try await CollectorDouble.with { collector in
                let url = "http://127.0.0.1:\(collector.server.port)"
                try await installation.withWorker(configuration(url), environment: Self.environment) { worker in
                    for (job, trace) in zip(jobs, traces) {
                        try await installation.publish(
                            raw: [job.json],
                            headers: [
                                "traceparent": .string("00-\(trace)-b7ad6b7169203331-01"), "tracestate": "vendor=1",
                            ])
                    }
                    try await installation.publish(
                        raw: [JobText("unsampled", app: Self.app, to: [Token.random()]).json],
                        headers: ["traceparent": "00-0af7651916cd43dd8448eb211c80319f-b7ad6b7169203331-00"])
                    try await eventually("the first attempt arrives: \(worker.errors)") {
                        installation.simulator.recordedArrivals[retried] ?? 0 > 0
                    }
                    installation.simulator.setAnswer(.accepted, forToken: retried)
                    try await installation.results.wait(for: 11)
                    try await eventually("all spans arrive: \(worker.errors)\n\(collector.names)") {
                        let counts = traces.map { trace in collector.spans.count { $0.trace == trace } }
                        return counts[0] == 4 && counts[1] == 17 && counts[3] == 5
                            && names(collector.spans, of: traces[2], installation).contains("send EXCHANGE.results")
                    }
                }
                #expect(collector.problems == [])
                let spans = collector.spans
                let sent = [Self.process, "push apns", "route", "send EXCHANGE.results"]
                #expect(names(spans, of: traces[0], installation) == sent)
                #expect(names(spans, of: traces[3], installation) == ["mark tokens"] + sent)
                // The large job is republished under a new name, then split, then sent as three chunks.
                #expect(
                    names(spans, of: traces[1], installation)
                        == ([Self.process, "route", Self.returned, "route", "scatter EXCHANGE.moved:normal.returned"]
                        + (1...3).flatMap { _ in [Self.returned] + sent.dropFirst() }).sorted())
                checkRetries(spans.filter { $0.trace == traces[2] }, installation)
                #expect(Set(spans.map(\.trace)) == Set(traces))
                for trace in traces { checkLinks(spans.filter { $0.trace == trace }) }
                let text = collector.bodies.map { String(decoding: $0, as: UTF8.self) }.joined()
                for recipient in jobs.flatMap(\.recipients) { #expect(!text.contains(recipient.token)) }
                #expect(!text.contains("a-ref-of-somebody") && !text.contains("nobody else may read"))
                try await checkForeignReader(collector)
            }
        }
    }

    /// Checks the spans of a job with several attempts. Only the last attempt has an outcome and publishes an event.
    private func checkRetries(_ spans: [CollectedSpan], _ installation: Installation) {
        let attempts = spans.filter { $0.name.hasPrefix("process") }.compactMap { $0.attributes["martlet.attempt"] }
        #expect(attempts.sorted() == (1...attempts.count).map { "\($0)" } && attempts.count >= 2)
        let pushes = spans.filter { $0.name == "push apns" }
        #expect(pushes.count == attempts.count)
        let failed = pushes.filter { $0.error != nil }
        #expect(failed.count == attempts.count - 1)
        for push in failed {
            #expect(push.error == "ServiceUnavailable" && push.attributes["martlet.statuses.503"] == "1")
            #expect(push.events.map { $0["martlet.reason"] } == ["ServiceUnavailable"])
            #expect(push.events.allSatisfy { $0["martlet.provider_id"] != nil })
        }
        #expect(spans.count { $0.name.hasPrefix("send") } == 1)
        #expect(spans.count == attempts.count * 3 + 1)
    }

    /// Checks the parents and links of spans. Every process span is linked to its parent, which is the publisher's span
    /// for the first one and one of our spans for the others.
    private func checkLinks(_ spans: [CollectedSpan]) {
        let own = Set(spans.map(\.id))
        #expect(own.count == spans.count)
        let processes = spans.filter { $0.name.hasPrefix("process") }
        #expect(processes.count { $0.parent == "b7ad6b7169203331" } == 1)
        for span in spans {
            #expect(span.state == "vendor=1")
            if span.kind == 5 {
                #expect(span.links == ["\(span.trace)-\(span.parent ?? "")"])
                #expect(span.parent == "b7ad6b7169203331" || own.contains(span.parent ?? ""))
            } else {
                #expect(span.links == [] && processes.contains { $0.id == span.parent })
            }
        }
    }

    /// Decodes the spans with the package opentelemetry-proto from PyPI. If the package is unavailable, the check is
    /// skipped and a line is printed.
    private func checkForeignReader(_ collector: CollectorDouble) async throws {
        let script = Project.root.appending(path: "Tests/Support/Clients/otlp.py").path
        let ended = try await Subprocess.run(
            ["/usr/bin/python3", script, Project.root.appending(path: ".local/clients").path],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"],
            input: collector.bodies.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined(),
            within: .seconds(300))
        if ended.status == 77 {
            print("opentelemetry-proto: \(ended.output)", terminator: "")
            return
        }
        #expect(ended.status == 0, "\(ended)")
        let expected = collector.spans.map {
            "martlet \($0.trace) \($0.id) \(Self.kinds[$0.kind]) \($0.attributes.count) \($0.name)"
        }
        #expect(ended.output.split(separator: "\n").map(String.init) == expected)
    }

    /// Neither deliveries nor the worker's stop wait for the collector.
    @Test(arguments: ["refuses", "is silent"]) func deliversAndStopsDespiteCollectorFault(fault: String) async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let refusing = try RefusingPort()
            try await CollectorDouble.with(Array(repeating: .nothing, count: 100)) { collector in
                let port = fault == "refuses" ? refusing.port : collector.server.port
                let metrics = try freePort()
                let worker = try installation.startWorker(
                    configuration("http://127.0.0.1:\(port)", ["http.listen": "127.0.0.1:\(metrics)"]),
                    environment: Self.environment)
                defer { worker.signal(SIGKILL) }
                // The number of spans of these jobs exceeds the number that the worker keeps.
                let jobs = (0..<800).map { JobText("job-\($0)", app: Self.app, to: [Token.random()]) }
                try await installation.publish(jobs)
                try await installation.results.wait(for: 800)
                try await eventually("the worker drops spans: \(worker.errors)") {
                    let page = try await WorkerEndpoint.answer("metrics", port: metrics)
                    return page.contains(/\nmartlet_spans_total\{result="dropped"\} [1-9]/)
                }
                worker.signal(SIGTERM)
                let finished = try await worker.finish()
                #expect(finished.status == 0 && finished.errors.contains("All jobs are settled"), "\(finished)")
                #expect(!finished.errors.contains("Some jobs were not settled in time"), "\(finished)")
            }
        }
    }
}
