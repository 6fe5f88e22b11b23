import APNSSimulator
import Foundation
import TestSupport
import Testing
import Threading
import WorkerTestSupport

/// An installation with one worker, its status page and a Prometheus, during an outage.
final class Outage: Sendable {
    static let app = "com.example.shop"
    /// The name of the keyring file of a worker that starts with a keyring of its own.
    static let workerKeyring = "worker-keyring"

    let installation: Installation
    let worker: Subprocess
    private let prometheus: Prometheus
    private let page: StatusPageLook
    /// The number of recipients that were published.
    private let published = Mutex(0)

    private init(installation: Installation, worker: Subprocess, prometheus: Prometheus, page: StatusPageLook) {
        (self.installation, self.worker, self.prometheus, self.page) = (installation, worker, prometheus, page)
    }

    /// Causes an outage in an installation with one worker, and checks what docs/runbook.md says about it.
    ///
    /// - Parameters:
    ///   - changes: settings of the worker that differ from the defaults.
    ///   - keyring: the content of a keyring file with which the worker starts, `workerKeyring`. If `nil`, the worker uses
    ///     the installation's keyring and has delivered before the outage begins.
    ///   - hasOutcomes: whether every published recipient has an outcome in the end, and a queue for it.
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
                // Problems that are found by counting stay open for a minute.
                try await eventually("it is over: \(await outage.said())\(worker.errors)") {
                    try await look.document()?.problems.isEmpty == true
                }
                if hasOutcomes {
                    try await installation.results.wait(for: outage.published.withLock { $0 })
                }
            }
        }
    }

    /// All is well.
    private func begin() async throws {
        try await publish("before")
        try await installation.results.wait(for: 1)
        try await eventually("all is well: \(worker.errors)\(prometheus.errors)") {
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

    /// Something happens when a push is on its way, which is answered only then.
    func whilePushing(_ id: String, _ cause: () async throws -> Void) async throws {
        var faults = StandingFaults()
        faults.silence = .answers
        await installation.simulator.setFaults(faults)
        try await publish(id)
        try await eventually("it is sent") { installation.simulator.recordedRequests.count >= 2 }
        try await cause()
        await installation.simulator.setFaults(StandingFaults())
    }

    private func looks(as row: OutageRow) async throws {
        try await eventually("\(row.kinds): \(await said())\n\(worker.errors)") {
            guard let problems = try await page.document()?.problems else { return false }
            if row.kinds.isEmpty { return problems.allSatisfy { $0.severity == "notice" } }
            guard let problem = problems.first(where: { row.kinds.contains($0.kind) }) else { return false }
            #expect(row.parties.contains(problem.party), "\(problem)")
            let metrics = try await page.curl("metrics")
            return metrics.contains("martlet_problem{kind=\"\(problem.kind)\",party=\"\(problem.party)\"")
        }
        if let alert = row.alert {
            try await eventually("\(alert): \(await said())\n\(worker.errors)") {
                try await prometheus.alerts().contains(alert)
            }
        }
        // A worker writes its problems every two seconds.
        try await eventually("\(row.doctor): \(await said())\n\(worker.errors)") {
            let doctor = try await installation.martlet(["doctor"])
            return row.doctor.contains { doctor.output.contains($0) }
        }
        let why = try await installation.martlet(["why", "--job", "during", "--app", Self.app])
        #expect(row.why.contains { (why.output + why.errors).contains($0) }, "\(why)")
    }

    /// By the page, and by the alerts that wait or fire.
    private func said() async -> String {
        "\((try? await page.curl("status.json")) ?? "") \((try? await prometheus.alerts()) ?? [])"
    }
}
