import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Debian's Prometheus with the rules of deploy/prometheus.
@Suite(.needsServers)
struct PrometheusTests {
    @Test func scrapesWorkerAndEvaluatesRules() async throws {
        try await Installation.with { installation in
            let port = try freePort()
            let worker = try installation.startWorker(["http.listen": "127.0.0.1:\(port)"])
            defer { worker.signal(SIGKILL) }
            try await eventually("the worker is ready: \(worker.errors)") {
                try await WorkerEndpoint.answer("ready", port: port) == "ready\n200"
            }
            let prometheus = try Prometheus(installation, worker: port)
            defer { prometheus.stop() }
            try await eventually("the worker was scraped: \(prometheus.errors)") {
                (try? await prometheus.finds("up == 1 and martlet_consuming == 1")) == true
            }
            try await eventually("every rule was evaluated: \(prometheus.errors)") {
                let rules = try await prometheus.rules()
                return !rules.isEmpty && rules.values.allSatisfy { $0 == "ok" }
            }
            #expect(
                try await prometheus.finds(#"count by (__name__)({__name__=~"martlet_.+_bucket"})"#),
                "Prometheus has the histograms")
            worker.signal(SIGTERM)
            _ = try await worker.finish()
            // The alert of a missing worker is pending for some time before it fires.
            try await eventually("MartletNoWorkers is pending: \(prometheus.errors)") {
                try await prometheus.alerts().contains("MartletNoWorkers")
            }
            #expect(try await prometheus.finish().status == 0)
        }
    }
}
