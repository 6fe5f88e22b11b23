import Foundation
import TestSupport
import Testing

/// `martlet-simulator`, which needs neither a broker nor a database.
@Suite struct SimulatorCommandTests {
    @Test(arguments: ["127.0.0.2", "::1"]) func listensOnlyOnBindAddress(address: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-bind-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let simulator = try Subprocess(
            [
                Project.simulator, "--bind", address, "--port", "0", "--control-port", "0", "--directory",
                "simulator",
            ], in: folder)
        defer { simulator.signal(SIGKILL) }
        try await eventually("started: \(simulator.output)\(simulator.errors)") { simulator.output.contains("\n") }
        let host = address.contains(":") ? "[\(address)]" : address
        let greeting = try #require(simulator.output.split(separator: "\n").first)
        let ports = greeting.matches(of: /https?:\/\/([^\/ ]+):([0-9]+)/)
        #expect(ports.map { String($0.1) } == [host, host], "\(greeting)")
        /// Returns the exit code of curl, which is 7 if the connection is refused.
        func call(_ url: String) async throws -> Int32 {
            try await Subprocess.run(
                ["/usr/bin/curl", "-sS", "--max-time", "10", "-o", "answer", "--cacert", "simulator/ca.pem", url],
                in: folder
            ).status
        }
        for (scheme, port) in zip(["https", "http"], ports.map(\.2)) {
            #expect(try await call("\(scheme)://\(host):\(port)/") == 0)
            #expect(try await call("\(scheme)://127.0.0.1:\(port)/") == 7)
        }
        simulator.signal(SIGTERM)
        let finished = try await simulator.finish()
        #expect(finished.status == 0, "\(finished)")
    }
}
