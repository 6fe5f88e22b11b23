import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Debian's Prometheus scrapes a worker, with the rules that we ship.
@Suite(.needsServers)
struct PrometheusTests {
    private struct Answer: Decodable {
        struct Sample: Decodable {
            let metric: [String: String]
        }

        struct Rule: Decodable {
            let name: String
            let health: String
        }

        struct Group: Decodable {
            let rules: [Rule]
        }

        struct Body: Decodable {
            let result: [Sample]?
            let groups: [Group]?
        }

        let data: Body
    }

    private func ask(_ port: Int, _ path: String, _ query: [String: String] = [:]) async throws -> Answer.Body {
        let options = query.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
        let answer = try await Subprocess.run(
            ["/usr/bin/curl", "-s", "-G", "--max-time", "5", "http://127.0.0.1:\(port)/api/v1/\(path)"] + options)
        return try JSONDecoder().decode(Answer.self, from: Data(answer.output.utf8)).data
    }

    private func start(_ installation: Installation, port: Int, worker: Int) throws -> Subprocess {
        let rules = Project.root.appending(path: "deploy/prometheus/martlet.rules.yaml").path
        let configuration = try installation.write(
            """
            global: {scrape_interval: 1s, evaluation_interval: 1s}
            rule_files: ["\(rules)"]
            scrape_configs:
              - job_name: martlet
                static_configs: [{targets: ["127.0.0.1:\(worker)"]}]
            """, to: "prometheus.yml")
        return try Subprocess([
            "/usr/bin/prometheus", "--config.file=\(configuration)", "--web.listen-address=127.0.0.1:\(port)",
            "--storage.tsdb.path=\(installation.path("prometheus"))",
        ])
    }

    @Test func itScrapesAWorkerAndTheRulesWork() async throws {
        try await Installation.with { installation in
            let (port, prometheusPort) = (try freePort(), try freePort())
            let worker = try installation.startWorker(["http.listen": "127.0.0.1:\(port)"])
            defer { worker.signal(SIGKILL) }
            try await eventually("it is ready: \(worker.errors)") {
                try await WorkerEndpoint.answer("ready", port: port) == "ready\n200"
            }
            let prometheus = try start(installation, port: prometheusPort, worker: port)
            defer { prometheus.signal(SIGKILL) }
            try await eventually("the worker was scraped: \(prometheus.errors)") {
                let found = try? await ask(prometheusPort, "query", ["query": "up == 1 and martlet_consuming == 1"])
                return found?.result?.isEmpty == false
            }
            try await eventually("every rule was evaluated: \(prometheus.errors)") {
                let rules = try await ask(prometheusPort, "rules").groups?.flatMap(\.rules) ?? []
                return !rules.isEmpty && rules.allSatisfy { $0.health == "ok" }
            }
            let types = try await ask(
                prometheusPort, "query", ["query": #"count by (__name__)({__name__=~"martlet_.+_bucket"})"#])
            #expect(types.result?.isEmpty == false, "histograms came over")
            worker.signal(SIGTERM)
            _ = try await worker.finish()
            // Who is gone is noticed: its alert waits for its time.
            try await eventually("nobody is ready: \(prometheus.errors)") {
                let alerts = try await ask(prometheusPort, "query", ["query": #"ALERTS{alertname="MartletNoWorkers"}"#])
                return alerts.result?.isEmpty == false
            }
            prometheus.signal(SIGTERM)
            #expect(try await prometheus.finish().status == 0)
        }
    }
}
