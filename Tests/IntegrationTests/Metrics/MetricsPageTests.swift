import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The metrics page of a worker.
@Suite(.needsServers)
struct MetricsPageTests {
    private static let app = "com.example.shop"
    private static let openMetrics = "application/openmetrics-text; version=1.0.0"

    private static func isHistogramOfAPool(_ series: String) -> Bool {
        series.hasPrefix("martlet_answer_seconds_") || series.hasPrefix("martlet_ping_seconds_")
    }

    private struct Page {
        let text: String

        /// The type of each metric family, by its name.
        var families: [String: String] {
            Dictionary(
                text.matches(of: /(?m)^# TYPE (\S+) (\S+)$/).map { (String($0.1), String($0.2)) },
                uniquingKeysWith: { first, _ in first })
        }

        /// The names of all series, with their labels.
        var series: Set<String> {
            Set(
                text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
                    line.lastIndex(of: " ").map { String(line[..<$0]) }
                })
        }
    }

    private func page(_ port: Int, accept: String = "*/*") async throws -> Page {
        let answer = try await Subprocess.run([
            "/usr/bin/curl", "-s", "-f", "--max-time", "5", "-H", "Accept: \(accept)",
            "http://127.0.0.1:\(port)/metrics",
        ])
        return Page(text: answer.output)
    }

    /// Returns the faults that promtool finds in a page in the text format.
    private func faults(ofText page: Page) async throws -> [String] {
        let found = try await Subprocess.run(["/usr/bin/promtool", "check", "metrics"], input: page.text)
        return (found.output + found.errors).split(separator: "\n").map(String.init)
    }

    /// Returns the fault that Prometheus's Python client finds in a page in the OpenMetrics format, or an empty string.
    private func faults(ofOpenMetrics page: Page) async throws -> String {
        let found = try await Subprocess.run(
            [
                "/usr/bin/python3", "-c",
                """
                import sys
                from prometheus_client.openmetrics.parser import text_string_to_metric_families
                print(len(list(text_string_to_metric_families(sys.stdin.read()))))
                """,
            ], input: page.text)
        return found.status == 0 && found.output != "0\n" ? "" : "\(found)"
    }

    @Test func showsSameFamiliesBeforeDatabaseIsReachableAndAfterPushes() async throws {
        try await Installation.with { installation in
            let port = try freePort()
            let refusing = try RefusingPort()
            let waiting = try installation.startWorker([
                "http.listen": "127.0.0.1:\(port)", "database.url": "postgres://127.0.0.1:\(refusing.port)/none",
            ])
            defer { waiting.signal(SIGKILL) }
            try await eventually("the page shows series: \(waiting.errors)") {
                try await !page(port).series.isEmpty
            }
            let first = try await page(port)
            #expect(try await faults(ofText: first) == [])
            let open = try await page(port, accept: Self.openMetrics)
            #expect(try await faults(ofOpenMetrics: open) == "")
            #expect(open.text.hasSuffix("\n# EOF\n") && !first.text.contains("# EOF"))
            waiting.signal(SIGTERM)
            _ = try await waiting.finish()

            try await installation.addTokenApp(Self.app)
            let worker = try installation.startWorker(["http.listen": "127.0.0.1:\(port)"])
            defer { worker.signal(SIGKILL) }
            try await installation.publish([JobText("one", app: Self.app, to: Token.random(count: 3))])
            try await eventually("three outcomes: \(worker.errors)") { installation.results.count == 3 }
            let later = try await page(port)
            #expect(try await faults(ofText: later) == [])
            #expect(try await faults(ofOpenMetrics: try await page(port, accept: Self.openMetrics)) == "")
            #expect(later.families == first.families)
            // Only series of credentials and registered apps, the clock's offset and histograms of pools may be new.
            let new = later.series.subtracting(first.series).filter {
                !$0.contains("credential=\"") && !$0.contains("app=\"\(Self.app)\"")
                    && $0 != "martlet_clock_ahead_seconds" && !Self.isHistogramOfAPool($0)
            }
            #expect(new == [], "no other series is new")
            // The problem with the unreachable database has ended, so its series is gone.
            let gone = first.series.subtracting(later.series).filter { !$0.hasPrefix("martlet_problem{") }
            #expect(gone == [])
            // Outputs that no app uses have no answer or ping histograms.
            #expect(!first.series.contains(where: Self.isHistogramOfAPool))
            #expect(!later.series.contains { Self.isHistogramOfAPool($0) && !$0.contains("output=\"apns\"") })
            #expect(
                later.text.contains(
                    /\nmartlet_answer_seconds_count\{output="apns",environment="production",status="200"\} 3\n/))
            #expect(later.text.contains("\nmartlet_pushes_total{app=\"\(Self.app)\",kind=\"sent\"} 3\n"))
            // Pools update their metrics once a second.
            try await eventually("the page shows an open connection: \(worker.errors)") {
                try await page(port).text.contains(/\nmartlet_pool_connections\{.*state="open"\} [1-9]/)
            }
            #expect(try await page(port).text.contains(/\nmartlet_pool_connections_limit\{output="apns".*\} 16\n/))
            worker.signal(SIGTERM)
            #expect(try await worker.finish().status == 0)
        }
    }

    /// Operators and alerts rely on the tables in docs/monitoring.md.
    @Test func manualListsExactlyTheWorkersMetrics() async throws {
        try await Installation.with { installation in
            let port = try freePort()
            let worker = try installation.startWorker(["http.listen": "127.0.0.1:\(port)"])
            defer { worker.signal(SIGKILL) }
            try await eventually("the worker is ready: \(worker.errors)") {
                try await WorkerEndpoint.answer("ready", port: port) == "ready\n200"
            }
            let manual = try Documents.text("docs/monitoring.md")
            let rows = manual.split(separator: "\n").filter {
                $0.hasPrefix("| `process_") || $0.hasPrefix("| `martlet_") && !$0.hasPrefix("| `martlet_ledger_")
            }
            let names = rows.flatMap { row in
                row.split(separator: "|")[0].matches(of: /`((?:martlet|process)_[a-z_]+)/).map { String($0.1) }
            }
            #expect(try await page(port).families.keys.sorted() == Set(names).sorted())
            worker.signal(SIGTERM)
            _ = try await worker.finish()
        }
    }
}
