import Foundation

/// A client of the broker for questions and commands that only tests need. It runs a Python script.
package struct Broker: Sendable {
    package struct Message: Decodable, Sendable {
        package let body: String
        package let reason: String
        /// The property `message_id`, or an empty string if there is none.
        package let id: String
        package let isPersistent: Bool
    }

    private let url: String

    package init(url: String) { self.url = url }

    /// Returns the number of messages that are ready in each queue. Messages that a consumer holds do not count.
    package func counts(_ queues: [String]) async throws -> [String: Int] {
        try JSONDecoder().decode([String: Int].self, from: try await ask(["counts"] + queues))
    }

    package func consumers(of queue: String) async throws -> Int {
        try JSONDecoder().decode(Int.self, from: try await ask(["consumers", queue]))
    }

    package func messages(in queue: String) async throws -> [Message] {
        try JSONDecoder().decode([Message].self, from: try await ask(["bodies", queue]))
    }

    package func delete(queues: [String], exchanges: [String]) async throws {
        _ = try await ask(["delete-queues"] + queues)
        _ = try await ask(["delete-exchanges"] + exchanges)
    }

    /// Declares a queue that accepts `length` messages and rejects all others, and binds it to all messages of an
    /// exchange.
    package func bindShort(_ queue: String, length: Int, to exchange: String) async throws {
        _ = try await ask(["bind-short", queue, "\(length)", exchange])
    }

    /// Unbinds a queue and discards its messages.
    package func unbind(_ queue: String, from exchange: String) async throws {
        _ = try await ask(["unbind", queue, exchange])
    }

    private func ask(_ question: [String]) async throws -> Data {
        let script = Project.root.appending(path: "Tests/Support/TestSupport/broker.py").path
        let finished = try await Subprocess.run(["/usr/bin/python3", "-B", script, url] + question)
        guard finished.status == 0 else { throw Failure(description: "broker.py \(question) \(finished)") }
        return Data(finished.output.utf8)
    }
}
