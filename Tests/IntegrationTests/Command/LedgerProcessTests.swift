import Contract
import DeliveryPipeline
import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The HTTP endpoints of `martlet ledger`.
@Suite(.needsServers, .endsAHang)
struct LedgerProcessTests {
    private static let app = "com.example.shop"

    @Test func isNotReadyAndLagsWhileTableIsLocked() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let port = try freePort()
            try await installation.withWorker { worker in
                try await installation.withLedger(["http.listen": "127.0.0.1:\(port)"]) { ledger in
                    try await eventuallyReady(port, ledger)
                    #expect(try await WorkerEndpoint.answer("health", port: port) == "ok\n200")
                    let holder = try await PostgresConnection.connect(installation.database.configuration)
                    try await holder.query("BEGIN")
                    try await holder.query("LOCK TABLE martlet.ledger IN ACCESS EXCLUSIVE MODE")
                    try await installation.publish([JobText("order-1", app: Self.app, to: [Token.random()])])
                    try await eventually("the ledger holds the event: \(worker.errors)") {
                        try await LedgerPage(port: port).value("martlet_ledger_events_held") == 1
                    }
                    let before = try await LedgerPage(port: port).value("martlet_ledger_lag_seconds")
                    try await eventually("the ledger is not ready: \(ledger.errors)") {
                        let answer = try await WorkerEndpoint.answer("ready", port: port)
                        return answer.hasPrefix("consuming: true, storing: false: ") && answer.hasSuffix("\n503")
                    }
                    try await eventually("a batch fails: \(ledger.errors)") {
                        try await LedgerPage(port: port).value("martlet_ledger_batches_total{result=\"failed\"}") > 0
                    }
                    let locked = try await LedgerPage(port: port)
                    #expect(locked.value("martlet_ledger_lag_seconds") > before)
                    #expect(locked.value("martlet_ledger_storing") == 0)
                    #expect(locked.value("martlet_ledger_consuming") == 1)
                    #expect(locked.value("martlet_ledger_outcomes_total") == 0)
                    await holder.close()
                    try await eventuallyReady(port, ledger)
                    let later = try await LedgerPage(port: port)
                    #expect(later.value("martlet_ledger_lag_seconds") == 0)
                    #expect(later.value("martlet_ledger_events_total{state=\"stored\"}") == 1)
                    #expect(later.value("martlet_ledger_outcomes_total") == 1)
                    #expect(later.value("martlet_ledger_events_held") == 0)
                    #expect(later.value("martlet_ledger_last_batch_timestamp_seconds") > 1_000_000_000)
                    for event in ["ledger.write.failed", "ledger.write.resumed"] {
                        #expect(ledger.errors.components(separatedBy: event).count == 2, "\(ledger.errors)")
                    }
                }
            }
            try await installation.broker.delete(queues: ["\(installation.names.prefix).ledger"], exchanges: [])
        }
    }

    /// No event arrives, so only a probe can detect the read-only database.
    @Test func isNotReadyWhileDatabaseIsReadOnly() async throws {
        try await Installation.with { installation in
            let database = installation.database
            func set(_ value: String) async throws {
                try await database.asAdministrator { admin in
                    try await admin.query(
                        "ALTER DATABASE \(database.name) SET default_transaction_read_only = \(value)")
                    try await admin.query(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
                        [.text(database.name)])
                }
            }
            let port = try freePort()
            try await installation.withWorker { _ in
                try await installation.withLedger(["http.listen": "127.0.0.1:\(port)"]) { ledger in
                    try await eventuallyReady(port, ledger)
                    try await set("on")
                    try await eventually("the ledger is not ready: \(ledger.errors)") {
                        try await WorkerEndpoint.answer("ready", port: port).contains(/read-only.*\n503$/)
                    }
                    try await set("off")
                    try await eventuallyReady(port, ledger)
                }
            }
            try await installation.broker.delete(queues: ["\(installation.names.prefix).ledger"], exchanges: [])
        }
    }

    /// Operators and alerts rely on the tables in docs/monitoring.md.
    @Test func manualListsExactlyTheLedgersMetrics() async throws {
        try await Installation.with { installation in
            let port = try freePort()
            try await installation.withWorker { _ in
                try await installation.withLedger(["http.listen": "127.0.0.1:\(port)"]) { ledger in
                    try await eventuallyReady(port, ledger)
                    let page = try await LedgerPage(port: port)
                    let manual = try Documents.text("docs/monitoring.md").split(separator: "\n").filter {
                        $0.hasPrefix("| `martlet_ledger_") || $0.hasPrefix("| `process_")
                    }
                    let names = manual.flatMap { row in
                        row.split(separator: "|")[0].matches(of: /`((?:martlet|process)_[a-z_]+)/).map { String($0.1) }
                    }
                    let families = page.text.matches(of: /(?m)^# TYPE (\S+) \S+$/).map { String($0.1) }
                    #expect(families.sorted() == names.sorted())
                    let faults = try await Subprocess.run(
                        ["/usr/bin/promtool", "check", "metrics"], input: page.text)
                    #expect(faults.output + faults.errors == "")
                    #expect(try await WorkerEndpoint.answer("", port: port).hasSuffix("404"), "there is no status page")
                }
            }
            try await installation.broker.delete(queues: ["\(installation.names.prefix).ledger"], exchanges: [])
        }
    }
}

/// Waits until the ledger at a port is ready.
func eventuallyReady(_ port: Int, _ ledger: Subprocess) async throws {
    try await eventually("the ledger is ready: \(ledger.errors)") {
        try await WorkerEndpoint.answer("ready", port: port) == "ready\n200"
    }
}

/// The metrics of a running ledger.
struct LedgerPage {
    let text: String

    init(port: Int) async throws {
        text = try await Subprocess.run([
            "/usr/bin/curl", "-s", "-f", "--max-time", "5", "http://127.0.0.1:\(port)/metrics",
        ]).output
    }

    /// Returns the value of a series, or NaN if the series is missing. Comparisons with NaN are false.
    func value(_ series: String) -> Double {
        for line in text.split(separator: "\n") where line.hasPrefix("\(series) ") {
            return Double(line.dropFirst(series.count + 1)) ?? .nan
        }
        return .nan
    }
}
