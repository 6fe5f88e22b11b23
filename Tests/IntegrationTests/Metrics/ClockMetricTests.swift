import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The metric of the difference between the clocks of worker and database.
@Suite(.needsServers)
struct ClockMetricTests {
    /// A function that shadows PostgreSQL's clock simulates a server whose clock is wrong.
    @Test(arguments: [-8, 40]) func measuresClockOffset(ahead: Int) async throws {
        try await Installation.with { installation in
            try await installation.database.pool.query("CREATE SCHEMA odd")
            try await installation.database.pool.query(
                """
                CREATE FUNCTION odd.clock_timestamp() RETURNS timestamptz LANGUAGE sql
                AS $$ SELECT pg_catalog.clock_timestamp() - interval '\(ahead) seconds' $$
                """)
            var components = try #require(URLComponents(string: installation.database.url))
            components.percentEncodedQuery = "options=-csearch_path%3Dodd,pg_catalog"
            let port = try freePort()
            let changes = ["database.url": components.string, "http.listen": "127.0.0.1:\(port)"]
            try await installation.withWorker(changes) { worker in
                try await eventually("the metric shows an offset of \(ahead) s: \(worker.errors)") {
                    let page = try await WorkerEndpoint.answer("metrics", port: port)
                    let shown = page.firstMatch(of: /\nmartlet_clock_ahead_seconds (-?[0-9.]+)/)
                    return shown.flatMap { Double($0.1) }.map { abs($0 - Double(ahead)) < 3 } ?? false
                }
            }
        }
    }
}
