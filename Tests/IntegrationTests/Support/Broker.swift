import DeliveryPipeline
import Foundation
import TestSupport

/// What the tests want to know of the broker, asked from Python.
struct Broker: Sendable {
    struct Message: Decodable {
        let body: String
        let reason: String
    }

    let url: String

    /// Messages that wait in each queue; those at a consumer don't count.
    func counts(_ queues: [String]) async throws -> [String: Int] {
        try JSONDecoder().decode([String: Int].self, from: try await ask(["counts"] + queues))
    }

    func messages(in queue: String) async throws -> [Message] {
        try JSONDecoder().decode([Message].self, from: try await ask(["bodies", queue]))
    }

    func delete(queues: [String], exchanges: [String]) async throws {
        _ = try await ask(["delete-queues"] + queues)
        _ = try await ask(["delete-exchanges"] + exchanges)
    }

    private func ask(_ question: [String]) async throws -> Data {
        let script = Project.root.appending(path: "Tests/IntegrationTests/Support/broker.py").path
        let finished = try await Subprocess.run(["/usr/bin/python3", "-B", script, url] + question)
        guard finished.status == 0 else { throw Failure(description: "broker.py \(question) \(finished)") }
        return Data(finished.output.utf8)
    }
}

/// A part of the surroundings did not do what it should.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
