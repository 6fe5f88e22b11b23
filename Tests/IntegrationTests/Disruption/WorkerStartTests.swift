import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// A worker that starts while the database is away.
@Suite(.needsServers)
struct WorkerStartTests {
    @Test func answersProbesWhileDatabaseIsAway() async throws {
        try await Installation.with { installation in
            let port = try freePort()
            let worker = try installation.startWorker(["http.listen": "127.0.0.1:\(port)"])
            defer { worker.signal(SIGKILL) }
            try await eventually("the worker is ready: \(worker.errors)") {
                try await WorkerEndpoint.answer("ready", port: port) == "ready\n200"
            }
            worker.signal(SIGTERM)
            #expect(try await worker.finish().status == 0)

            let refusing = try RefusingPort()
            let away = "postgres://127.0.0.1:\(refusing.port)/none"
            let waiting = try installation.startWorker(["http.listen": "127.0.0.1:\(port)", "database.url": away])
            defer { waiting.signal(SIGKILL) }
            try await eventually("the worker names the reason: \(waiting.errors)") {
                let ready = try await WorkerEndpoint.answer("ready", port: port)
                return ready.hasPrefix("waiting for the database: ") && ready.contains("\(refusing.port)")
                    && ready.hasSuffix("\n503")
            }
            #expect(try await WorkerEndpoint.answer("health", port: port) == "ok\n200")
            #expect(try await WorkerEndpoint.answer("metrics", port: port).contains("\nmartlet_consuming 0\n"))
            waiting.signal(SIGTERM)
            let finished = try await waiting.finish()
            #expect(finished.status == 0, "\(finished)")
        }
    }

    @Test func stopsDuringConnectionAttempt() async throws {
        try await Installation.with { installation in
            let (port, mute) = (try freePort(), try freePort())
            let database = try Subprocess([
                "/usr/bin/python3", "-c",
                """
                import socket, time
                server = socket.create_server(("127.0.0.1", \(mute)))
                print("here", flush=True)
                time.sleep(600)
                """,
            ])
            defer { database.signal(SIGKILL) }
            try await eventually("the silent server listens: \(database.errors)") { database.output == "here\n" }
            let worker = try installation.startWorker([
                "http.listen": "127.0.0.1:\(port)", "database.url": "postgres://127.0.0.1:\(mute)/none",
            ])
            defer { worker.signal(SIGKILL) }
            try await eventually("the worker tries to connect: \(worker.errors)") {
                try await WorkerEndpoint.answer("ready", port: port) == "starting\n503"
            }
            worker.signal(SIGTERM)
            let finished = try await worker.finish()
            #expect(finished.status == 0, "\(finished)")
        }
    }

    @Test func startsWhenDatabaseBecomesReachable() async throws {
        try await Installation.with { installation in
            let port = try freePort()
            var worker: Subprocess?
            defer { worker?.signal(SIGKILL) }
            try await installation.database.withoutConnections {
                let started = try installation.startWorker(["http.listen": "127.0.0.1:\(port)"])
                worker = started
                try await eventually("the worker waits: \(started.errors)") {
                    started.errors.contains("Waiting for the database")
                }
                #expect(!started.errors.contains("Worker started"))
            }
            let started = try #require(worker)
            try await eventually("the worker is ready: \(started.errors)") {
                try await WorkerEndpoint.answer("ready", port: port) == "ready\n200"
            }
            started.signal(SIGTERM)
            #expect(try await started.finish().status == 0)
        }
    }

    /// Only root can start the worker as another user. The files in /proc of a process that can't be dumped belong to
    /// root.
    @Test(.enabled(if: getuid() == 0)) func protectsMemoryFromOtherProcesses() async throws {
        let keys = "master-1 \(String(repeating: "A", count: 43))="
        let worker = try Subprocess(
            ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", Project.command, "worker"],
            environment: [
                "MARTLET_AMQP_URL": "amqp://127.0.0.1:1/", "MARTLET_DATABASE_URL": "postgres://127.0.0.1:1/none",
                "MARTLET_KEYRING_KEYS": keys, "MARTLET_HTTP_LISTEN": "",
            ])
        defer { worker.signal(SIGKILL) }
        try await eventually("the worker waits: \(worker.errors)") {
            worker.errors.contains("Waiting for the database") || !worker.isRunning
        }
        let owner = try FileManager.default.attributesOfItem(atPath: "/proc/\(worker.pid)/environ")[.ownerAccountID]
        #expect(owner as? Int == 0, "\(worker.errors)")
    }
}
