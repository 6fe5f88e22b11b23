import APNSSimulator
import Foundation
import TestSupport
import Testing
import Foundations
import WorkerTestSupport

/// An installation with one worker, its status page and Prometheus, during an outage.
final class Outage: Sendable {
    static let app = "com.example.shop"
    /// The name of the keyring file of a worker that starts with its own keyring.
    static let workerKeyring = "worker-keyring"

    let installation: Installation
    let worker: Subprocess
    private let prometheus: Prometheus
    private let page: StatusPageLook
    /// The number of recipients of all published jobs.
    private let published = Mutex(0)

    private init(installation: Installation, worker: Subprocess, prometheus: Prometheus, page: StatusPageLook) {
        (self.installation, self.worker, self.prometheus, self.page) = (installation, worker, prometheus, page)
    }

    /// Causes an outage in an installation with one worker, and checks the statements of docs/runbook.md about it.
    ///
    /// - Parameters:
    ///   - changes: settings of the worker that differ from the defaults.
    ///   - keyring: the content of the keyring file `workerKeyring`, with which the worker starts. If `nil`, the worker
    ///     uses the installation's keyring and has delivered before the outage begins.
    ///   - hasOutcomes: whether every published recipient gets an outcome in the end that a queue receives.
    ///   - cause: begins the outage, calls `look`, and ends the outage.
    static func happens(
        _ name: String, _ changes: [String: String] = [:], servers: Installation.Servers? = nil,
        keyring: String? = nil, hasOutcomes: Bool = true,
        cause: (Outage, _ look: () async throws -> Void) async throws -> Void
    ) async throws {
        let row = try OutageRow.named(name)
        try await Installation.with(servers: servers) { installation in
            try await installation.addTokenApp(app)
            let look = StatusPageLook(port: try freePort())
            var settings = [
                "http.listen": "127.0.0.1:\(look.port)", "retry.delays": "1,2", "apns.request_timeout": "2",
            ]
            if let keyring { settings["keyring.file"] = try installation.write(keyring, to: workerKeyring) }
            try await installation.withWorker(settings.merging(changes) { $1 }) { worker in
                let prometheus = try Prometheus(installation, worker: look.port, lookingBack: "10s")
                defer { prometheus.stop() }
                let outage = Outage(installation: installation, worker: worker, prometheus: prometheus, page: look)
                if keyring == nil { try await outage.begin() }
                try await cause(outage) { try await outage.looks(as: row) }
                // Problems that are detected by counting stay open for a minute.
                try await eventually("no problem is open: \(await outage.said())\(worker.errors)") {
                    try await look.document()?.problems.isEmpty == true
                }
                if hasOutcomes {
                    try await installation.results.wait(for: outage.published.withLock { $0 })
                }
            }
        }
    }

    /// Delivers a push, and waits until neither the page nor Prometheus shows a problem.
    private func begin() async throws {
        try await publish("before")
        try await installation.results.wait(for: 1)
        try await eventually("the page shows no problem: \(worker.errors)\(prometheus.errors)") {
            guard (try? await prometheus.finds("martlet_consuming == 1 and martlet_publishing == 1")) == true else {
                return false
            }
            return try await page.page().contains("<h1>Nothing is wrong</h1>")
        }
    }

    func publish(_ id: String, to tokens: [String] = [Token.random()]) async throws {
        published.withLock { $0 += tokens.count }
        try await installation.publish([JobText(id, app: Self.app, to: tokens)])
    }

    /// Runs `cause` while a push is on the wire. The simulator does not answer the push, so the worker sends it again.
    func whilePushing(_ id: String, _ cause: () async throws -> Void) async throws {
        var faults = StandingFaults()
        faults.silence = .answers
        await installation.simulator.setFaults(faults)
        try await publish(id)
        try await eventually("the push is on the wire") { installation.simulator.recordedRequests.count >= 2 }
        try await cause()
        await installation.simulator.setFaults(StandingFaults())
    }

    /// Waits until the page, the alerts and the commands show the outage as the row requires.
    private func looks(as row: OutageRow) async throws {
        try await eventually("the page shows \(row.kinds): \(await said())\n\(worker.errors)") {
            guard let problems = try await page.document()?.problems else { return false }
            if row.kinds.isEmpty { return problems.allSatisfy { $0.severity == "notice" } }
            guard let problem = problems.first(where: { row.kinds.contains($0.kind) }) else { return false }
            #expect(row.parties.contains(problem.party), "\(problem)")
            let metrics = try await page.curl("metrics")
            return metrics.contains("martlet_problem{kind=\"\(problem.kind)\",party=\"\(problem.party)\"")
        }
        if let alert = row.alert {
            try await eventually("the alert \(alert) is pending or fires: \(await said())\n\(worker.errors)") {
                try await prometheus.alerts().contains(alert)
            }
        }
        // A worker writes its problems to the database every two seconds.
        try await eventually("doctor prints one of \(row.doctor): \(await said())\n\(worker.errors)") {
            let doctor = try await installation.martlet(["doctor"])
            return row.doctor.contains { doctor.output.contains($0) }
        }
        let why = try await installation.martlet(["why", "--job", "during", "--app", Self.app])
        #expect(row.why.contains { (why.output + why.errors).contains($0) }, "\(why)")
    }

    /// Returns the status document and the alerts that are pending or fire.
    private func said() async -> String {
        "\((try? await page.curl("status.json")) ?? "") \((try? await prometheus.alerts()) ?? [])"
    }
}
