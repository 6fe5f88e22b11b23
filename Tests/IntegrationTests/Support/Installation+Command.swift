import APNSSimulator
import Contract
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import WorkerTestSupport

extension Installation {
    /// Writes a configuration file for the command and returns its path.
    ///
    /// - Parameter changes: the values that differ from the installation's; `nil` omits a key.
    func configuration(_ changes: [String: String?] = [:], file: String = "martlet.yaml") throws -> String {
        var values: [String: String?] = [
            "amqp.url": servers.broker, "amqp.prefix": names.prefix, "database.url": database.url,
            "keyring.file": path("keyring"), "apns.endpoint.production": "127.0.0.1:\(simulator.port)",
            "apns.endpoint.sandbox": "127.0.0.1:\(simulator.port)", "apns.ca_file": path("ca.pem"), "http.listen": "",
            "worker.name": "test-worker",
        ]
        values.merge(changes) { $1 }
        let lines = values.compactMap { key, value in value.map { "\(key): \"\($0)\"\n" } }
        return try write(lines.joined(), to: file)
    }

    /// Runs the command until it exits. Its configuration is that of ``configuration(_:file:)`` with these changes.
    func martlet(
        _ arguments: [String], _ changes: [String: String?] = [:], input: String = ""
    ) async throws -> Subprocess.Finished {
        let configuration = try configuration(changes, file: "martlet-\(UUID().uuidString).yaml")
        return try await Subprocess.run(
            [Project.command] + arguments + ["--config", configuration], input: input, in: folder)
    }

    /// Runs a worker while `body` runs, then stops it as an operator would.
    func withWorker(
        _ changes: [String: String?] = [:], environment: [String: String] = [:],
        _ body: (Subprocess) async throws -> Void
    ) async throws {
        let worker = try startWorker(changes, environment: environment)
        do {
            try await body(worker)
        } catch {
            worker.signal(SIGKILL)
            throw Failure(description: "\(error)\n\(worker.errors)")
        }
        worker.signal(SIGTERM)
        let finished = try await worker.finish()
        guard finished.status == 0 else { throw Failure(description: "the worker \(finished)") }
    }

    func startWorker(_ changes: [String: String?] = [:], environment: [String: String] = [:]) throws -> Subprocess {
        let configuration = try configuration(changes, file: "worker-\(UUID().uuidString).yaml")
        return try Subprocess(
            [Project.command, "worker", "--config", configuration], environment: environment, in: folder)
    }

    /// Waits until a worker consumes the queues of all lanes. Before that, the broker may return a job as unroutable.
    func eventuallyConsumes(_ worker: Subprocess) async throws {
        for queue in Lane.allCases.map(names.queue(of:)) {
            try await eventually("a worker consumes \(queue): \(worker.errors)") {
                try await broker.consumers(of: queue) > 0
            }
        }
    }
}
