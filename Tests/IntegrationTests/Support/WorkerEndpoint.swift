import TestSupport

/// A client of a worker's HTTP endpoint.
enum WorkerEndpoint {
    /// Returns the body of an answer, followed by its status. The status is 000 if there is no answer.
    static func answer(_ path: String, port: Int) async throws -> String {
        try await Subprocess.run([
            "/usr/bin/curl", "-s", "--max-time", "5", "-w", "%{http_code}", "http://127.0.0.1:\(port)/\(path)",
        ]).output
    }
}
