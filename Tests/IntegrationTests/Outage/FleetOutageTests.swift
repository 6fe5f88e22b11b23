import Contract
import DeliveryPipeline
import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Outages of workers, as the status pages of other workers show them.
@Suite(.needsServers, .endsAHang)
struct FleetOutageTests {
    @Test func consumesNothingUntilKeyringOpensACredential() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Outage.app)
            let look = StatusPageLook(port: try freePort())
            let keyring = try installation.write(
                "master-2 \(String(repeating: "Q", count: 43))=\n", to: "other-keyring")
            let settings = ["keyring.file": keyring, "http.listen": "127.0.0.1:\(look.port)"]
            try await installation.withWorker(settings) { worker in
                try await look.names("keyring.open.failed", of: "ours", severity: "trouble", worker)
                let ready = try await look.curl("ready")
                #expect(ready.contains(" 503 ") && ready.contains("the keyring opens no credential"), "\(ready)")
                try await installation.publish([JobText("during", app: Outage.app, to: [Token.random()])])
                let queue = "\(installation.names.prefix).jobs.normal"
                let waiting = try await installation.broker.counts([queue])
                #expect(waiting == [queue: 1])
                try installation.write(Installation.keyringText, to: "other-keyring")
                try await installation.results.wait(for: 1)
                try await eventually("the worker is ready: \(worker.errors)") {
                    try await look.curl("ready").contains(" 200 ")
                }
                try await eventually("no problem is open: \(worker.errors)") {
                    try await look.document()?.problems.isEmpty == true
                }
                #expect(worker.errors.contains("keyring.open.resumed"))
            }
        }
    }

    @Test func reportsOtherWorkerWithWrongKeyring() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Outage.app)
            let keyring = try installation.write(
                "master-2 \(String(repeating: "Q", count: 43))=\n", to: "other-keyring")
            let look = StatusPageLook(port: try freePort())
            try await installation.withWorker(["http.listen": "127.0.0.1:\(look.port)"]) { worker in
                try await look.isReady(worker)
                let waiting = try installation.startWorker(["keyring.file": keyring, "worker.name": "waiting-worker"])
                try await look.names("worker.not_ready", of: "ours", severity: "notice", worker)
                try await look.says("waiting-worker", worker)
                try await eventually("doctor reports the keyring: \(waiting.errors)") {
                    let doctor = try await installation.martlet(["doctor"])
                    return doctor.status == 1 && doctor.output.contains("keyring opens no credential")
                }
                waiting.signal(SIGTERM)
                #expect(try await waiting.finish().status == 0)
                try await eventually("the problem ends: \(worker.errors)") {
                    try await look.document()?.problems.isEmpty == true
                }
            }
        }
    }

    @Test func reportsCrashLoopUntilWorkerStaysUp() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Outage.app)
            let look = StatusPageLook(port: try freePort())
            for crashes in 0..<3 {
                let worker = try installation.startWorker(["http.listen": "127.0.0.1:\(look.port)"])
                if crashes > 0 {
                    try await look.names("worker.crashes", of: "ours", severity: "notice", worker)
                    try await look.says("(\(crashes) time", worker)
                } else {
                    try await look.isReady(worker)
                }
                worker.signal(SIGKILL)
                _ = try await worker.finish()
            }
            try await installation.withWorker(["http.listen": "127.0.0.1:\(look.port)"]) { worker in
                try await look.names("worker.crashes", of: "ours", severity: "trouble", worker)
                let problem = try await look.document()?.problems.first
                #expect(problem?.text.contains("test-worker (3 times in a row)") == true, "\(problem?.text ?? "")")
                try await eventually("doctor reports the crashes") {
                    let doctor = try await installation.martlet(["doctor"])
                    return doctor.output.contains("3 times in a row") && doctor.status == 1
                }
            }
        }
    }

    @Test func reportsGoneWorkerUntilReplacedOrForgotten() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Outage.app)
            let look = StatusPageLook(port: try freePort())
            try await installation.withWorker(["http.listen": "127.0.0.1:\(look.port)"]) { worker in
                try await look.isReady(worker)
                func kill(_ name: String) async throws {
                    let killed = try installation.startWorker(["worker.name": name])
                    try await eventually("\(name) is in the fleet: \(killed.errors)") {
                        try await look.document()?.fleet.workers.contains { $0.name == name } == true
                    }
                    killed.signal(SIGKILL)
                    _ = try await killed.finish()
                }
                try await kill("push-8")
                try await look.names("worker.gone", of: "ours", severity: "notice", worker)
                try await installation.withWorker(["worker.name": "push-9"]) { _ in
                    try await eventually("push-9 replaces push-8 and ends the problem: \(worker.errors)") {
                        try await look.document()?.problems.isEmpty == true
                    }
                }
                try await kill("push-8")
                try await look.names("worker.gone", of: "ours", severity: "notice", worker)
                let forgotten = try await installation.martlet(["top", "--forget", "push-8"])
                #expect(forgotten.status == 0, "\(forgotten)")
                try await eventually("the problem ends when push-8 is forgotten: \(worker.errors)") {
                    try await look.document()?.problems.isEmpty == true
                }
            }
        }
    }
}

extension StatusPageLook {
    /// Waits until the worker shows a problem of this kind, party and severity.
    fileprivate func names(
        _ kind: String, of party: String, severity: String, _ worker: Subprocess
    ) async throws {
        try await eventually("the page shows \(kind): \((try? await curl("status.json")) ?? "")\(worker.errors)") {
            let problem = try await document()?.problems.first { $0.kind == kind }
            return problem?.party == party && problem?.severity == severity
        }
    }

    /// Waits until the text of the first problem contains these words.
    fileprivate func says(_ words: String, _ worker: Subprocess) async throws {
        try await eventually("the page says \(words): \((try? await curl("status.json")) ?? "")\(worker.errors)") {
            try await document()?.problems.first?.text.contains(words) == true
        }
    }

    /// Waits until the worker is ready and has read its row of the fleet.
    fileprivate func isReady(_ worker: Subprocess) async throws {
        try await eventually("the worker is ready: \(worker.errors)") {
            guard let document = try await document() else { return false }
            return document.worker.state == "ready" && !document.fleet.workers.isEmpty
        }
    }
}
