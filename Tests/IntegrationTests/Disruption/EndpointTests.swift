import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The worker's HTTP endpoint with clients that misuse it.
@Suite(.needsServers)
struct EndpointTests {
    /// Starts a program that opens connections and keeps them until it is killed. Most of the connections send nothing,
    /// and every twentieth sends many requests and reads no answer.
    private func crowd(of count: Int, port: Int) throws -> Subprocess {
        try Subprocess([
            "/usr/bin/python3", "-c",
            """
            import socket, time
            crowd = [socket.socket() for _ in range(\(count))]
            for member in crowd:
                member.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                member.setblocking(False)
                member.connect_ex(("127.0.0.1", \(port)))
            time.sleep(1)
            for member in crowd[::20]:
                try:
                    member.send(b"GET /metrics HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n" * 3000)
                except OSError:
                    pass
            print("here", flush=True)
            time.sleep(600)
            """,
        ])
    }

    /// Returns the processor time of a process, in seconds. The manual page proc_pid_stat(5) describes the file.
    private func processorTime(_ pid: pid_t) throws -> Double {
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        return fields[12...13].compactMap { Double($0) }.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// There are more connections than the worker has descriptors. The worker must not spin, must keep enough
    /// descriptors for deliveries, and must answer other clients.
    @Test func survivesMoreConnectionsThanDescriptors() async throws {
        try await Installation.with { installation in
            let port = try freePort()
            let file = try installation.configuration(["http.listen": "127.0.0.1:\(port)"])
            var crowd: Subprocess?
            defer { crowd?.signal(SIGKILL) }
            var started: Subprocess?
            defer { started?.signal(SIGKILL) }
            try await installation.database.withoutConnections {
                let worker = try Subprocess(
                    ["/usr/bin/prlimit", "--nofile=256:256", Project.command, "worker", "--config", file],
                    in: installation.folder)
                started = worker
                try await eventually("the worker waits for the database: \(worker.errors)") {
                    worker.errors.contains("Waiting for the database")
                }
                let coming = try self.crowd(of: 300, port: port)
                crowd = coming
                try await eventually("the connections are open: \(coming.errors)") { coming.output == "here\n" }
                // A worker that spins uses a whole processor.
                try await eventually("the worker is idle: \(worker.errors)") {
                    let before = try processorTime(worker.pid)
                    try await Task.sleep(for: .seconds(1))
                    return try processorTime(worker.pid) - before < 0.5
                }
            }
            let worker = try #require(started)
            try await eventually("the worker starts: \(worker.errors)") { worker.errors.contains("Worker started") }
            try await eventually("another client gets an answer: \(worker.errors)") {
                try await WorkerEndpoint.answer("ready", port: port) == "ready\n200"
            }
            #expect(crowd?.isRunning == true)
            worker.signal(SIGTERM)
            let finished = try await worker.finish()
            #expect(finished.status == 0, "\(finished)")
        }
    }
}
