import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Debian's Prometheus scrapes a worker, with the rules that we ship.
@Suite(.needsServers)
struct PrometheusTests {
    @Test func itScrapesAWorkerAndTheRulesWork() async throws {
        try await Installation.with { installation in
            let port = try freePort()
            let worker = try installation.startWorker(["http.listen": "127.0.0.1:\(port)"])
            defer { worker.signal(SIGKILL) }
            try await eventually("it is ready: \(worker.errors)") {
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
                "histograms came over")
            worker.signal(SIGTERM)
            _ = try await worker.finish()
            // Who is gone is noticed: its alert waits for its time.
            try await eventually("nobody is ready: \(prometheus.errors)") {
                try await prometheus.alerts().contains("MartletNoWorkers")
            }
            #expect(try await prometheus.finish().status == 0)
        }
    }
}
