import TestSupport

/// What a worker says over HTTP.
enum WorkerEndpoint {
    /// The body and the status behind it; 000: none.
    static func answer(_ path: String, port: Int) async throws -> String {
        try await Subprocess.run([
            "/usr/bin/curl", "-s", "--max-time", "5", "-w", "%{http_code}", "http://127.0.0.1:\(port)/\(path)",
        ]).output
    }
}
