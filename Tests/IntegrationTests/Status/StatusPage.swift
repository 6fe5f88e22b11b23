import Foundation
import TestSupport
import Testing

/// A client of a worker's status page. It reads the page over HTTP and, if a browser is installed, checks it in the
/// browser.
struct StatusPageLook: Sendable {
    /// The time after which curl gives up, in seconds.
    private static let patience = "\(5 * deadlineFactor)"

    struct Document: Decodable {
        struct Problem: Decodable {
            let kind, party, severity, subject, text, since: String
        }
        struct Worker: Decodable {
            let name, state: String
            let rate: Double
            let minute: [String: Int]
        }
        struct Lane: Decodable {
            let lane: String
            let open, rate: Int
        }
        struct Fleet: Decodable {
            struct Member: Decodable {
                let name, state: String
            }
            let stale: Bool
            let workers: [Member]
        }
        struct Apps: Decodable {
            struct App: Decodable {
                let app: String
                let trouble: [String]
            }
            let shown: [App]
        }
        struct Pools: Decodable {
            struct Pool: Decodable {
                let open, streamsLimit: Int
            }
            let shown: [Pool]
        }
        struct Warning: Decodable {
            let message: String
        }
        struct Setting: Decodable {
            let key, origin: String
            let value: String?
        }

        let problems: [Problem]
        let worker: Worker
        let lanes: [Lane]
        let fleet: Fleet
        let apps: Apps
        let pools: Pools
        let warnings: [Warning]
        let configuration: [Setting]
    }

    let port: Int

    var url: String { "http://127.0.0.1:\(port)/" }

    /// Returns the headers and the body of an answer, as `curl -i` prints them.
    func curl(_ path: String, _ arguments: [String] = []) async throws -> String {
        try await Subprocess.run(["/usr/bin/curl", "-s", "-i", "--max-time", Self.patience] + arguments + [url + path])
            .output
    }

    func page() async throws -> String {
        try await Subprocess.run(["/usr/bin/curl", "-s", "--max-time", Self.patience, url]).output
    }

    /// Returns the status document, or `nil` if the worker does not listen yet.
    func document() async throws -> Document? {
        let text = try await self.text()
        return text.isEmpty ? nil : try JSONDecoder.snakeCase.decode(Document.self, from: Data(text.utf8))
    }

    private func text() async throws -> String {
        try await Subprocess.run(["/usr/bin/curl", "-s", "--max-time", Self.patience, url + "status.json"]).output
    }

    /// Waits until the document meets `condition` and the page has the heading, if one is given. Then checks the
    /// document against its schema, and checks the page in a browser.
    func shows(
        _ name: String, heading: String?, _ log: @autoclosure () -> String, isUsed: Bool = false,
        _ condition: (Document) -> Bool
    ) async throws {
        try await eventually("\(name): \((try? await self.text()) ?? "")\n\(log())") {
            guard let document = try await document() else { return false }
            let page = try await page()
            return condition(document) && (heading.map { page.contains("<h1>\($0)</h1>") } ?? true)
        }
        let text = try await self.text().trimmingCharacters(in: .newlines)
        let problems = try await SchemaValidator.problems(in: [text], schema: "status.schema.json")
        #expect(problems.isEmpty, "the status document of \(name) violates its schema: \(problems)")
        guard Self.hasBrowser else { return }
        let script = Project.root.appending(path: "scripts/screenshots").path
        let looked = try await Subprocess.run(
            ["/usr/bin/python3", script, url, name] + (isUsed ? ["--use"] : []), within: .seconds(300))
        #expect(looked.status == 0, "\(name): \(looked)")
    }

    /// Whether a browser is installed. `scripts/screenshots --install` installs one.
    private static let hasBrowser: Bool = {
        let script = Project.root.appending(path: "scripts/screenshots").path
        let missing = try? Subprocess(["/usr/bin/python3", script, "--missing"]).waitUntilExit()
        return missing?.status == 0
    }()
}

extension JSONDecoder {
    fileprivate static var snakeCase: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
