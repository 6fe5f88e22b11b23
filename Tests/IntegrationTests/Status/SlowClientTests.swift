import Foundation
import TestSupport
import TestTraits
import Testing

/// The worker's HTTP endpoints while many clients are slow. Kubernetes restarts a container after three failed probes
/// in a row.
@Suite(.needsServers, .endsAHang)
struct SlowClientTests {
    /// A program that keeps the given number of connections open for at most a minute. Each connection sends the text
    /// once and is opened again when the server closes it.
    private static let clients = """
        import select, socket, sys, time
        port, count, text = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode().decode("unicode_escape").encode()
        open_sockets = []
        print("ready", flush=True)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            while len(open_sockets) < count:
                try:
                    client = socket.create_connection(("127.0.0.1", port), timeout=1)
                    client.sendall(text)
                    open_sockets.append(client)
                except OSError:
                    break
            for client in select.select(open_sockets, [], [], 0.05)[0]:
                open_sockets.remove(client)
                client.close()
        """

    @Test(arguments: ["", #"GET /health HTTP/1.1\r\nHost:"#, #"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"#])
    func answersProbesDespiteSlowClients(text: String) async throws {
        try await Installation.with { installation in
            let look = StatusPageLook(port: try freePort())
            try await installation.withWorker(["http.listen": "127.0.0.1:\(look.port)"]) { worker in
                try await eventually(worker.errors) { try await look.curl("ready").contains("200 OK") }
                let slow = try Subprocess(
                    ["/usr/bin/python3", "-c", Self.clients, "\(look.port)", "400", text])
                defer { slow.signal(SIGKILL) }
                try await eventually("the slow clients start: \(slow.errors)") { slow.output.contains("ready") }
                var failures = 0
                for probe in 1...20 {
                    let answer = try await look.curl("health")
                    failures = answer.contains("200 OK") ? 0 : failures + 1
                    #expect(failures < 3, "fewer than three probes fail in a row; probe \(probe): \(answer)")
                }
            }
        }
    }

    /// A program that sends a thousand requests over one connection at once and prints the number of answers.
    private static let pipeliner = """
        import socket, sys
        client = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=10)
        client.sendall(b"GET /health HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" * 1000)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := client.recv(65536):
            answer += chunk
        print(answer.count(b"HTTP/1.1 200 OK"))
        """

    @Test func answersOneRequestPerConnection() async throws {
        try await Installation.with { installation in
            let look = StatusPageLook(port: try freePort())
            try await installation.withWorker(["http.listen": "127.0.0.1:\(look.port)"]) { worker in
                try await eventually(worker.errors) { try await look.curl("health").contains("200 OK") }
                let answers = try await Subprocess.run(["/usr/bin/python3", "-c", Self.pipeliner, "\(look.port)"])
                #expect(answers.output == "1\n", "the worker answers one request and closes the connection: \(answers)")
            }
        }
    }

    @Test func rejectsCrossSiteRequestsForMetrics() async throws {
        try await Installation.with { installation in
            let look = StatusPageLook(port: try freePort())
            try await installation.withWorker(["http.listen": "127.0.0.1:\(look.port)"]) { worker in
                try await eventually(worker.errors) { try await look.curl("ready").contains("200 OK") }
                for (site, status) in [("cross-site", "403"), ("same-site", "403"), ("none", "200")] {
                    let answer = try await look.curl("metrics", ["-H", "Sec-Fetch-Site: \(site)"])
                    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(site): \(answer.prefix(200))")
                }
                // A browser whose DNS answer points a foreign name at the worker. Scrapers may use any name.
                for (fields, status) in [(["Accept-Language: en"], "421"), ([], "200")] {
                    for path in ["metrics", "ready"] {
                        let answer = try await look.curl(
                            path, (["Host: evil.example"] + fields).flatMap { ["-H", $0] })
                        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path): \(answer.prefix(200))")
                    }
                }
            }
        }
    }
}
