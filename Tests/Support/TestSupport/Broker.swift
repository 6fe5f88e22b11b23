import Foundation

/// What the tests want to know of the broker, asked from Python.
package struct Broker: Sendable {
    package struct Message: Decodable, Sendable {
        package let body: String
        package let reason: String
        /// Its property `message_id`; empty: it has none.
        package let id: String
        package let isPersistent: Bool
    }

    private let url: String

    package init(url: String) { self.url = url }

    /// Messages that wait in each queue; those at a consumer don't count.
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

    /// A queue that is bound to everything an exchange gets, takes so many messages and refuses all others.
    package func bindShort(_ queue: String, length: Int, to exchange: String) async throws {
        _ = try await ask(["bind-short", queue, "\(length)", exchange])
    }

    /// It gets nothing any more, and what it has is thrown away.
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
