import Foundation
import TestSupport

/// The documents of the project and their code blocks.
enum Documents {
    /// Returns the documents for users, with their paths.
    static func all() throws -> [(path: String, text: String)] {
        let docs = try FileManager.default.subpathsOfDirectory(atPath: Project.root.appending(path: "docs").path)
        return try (docs.map { "docs/\($0)" } + ["README.md", "SECURITY.md", "CONTRIBUTING.md"])
            .filter { $0.hasSuffix(".md") }.sorted().map { ($0, try text($0)) }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: Project.root.appending(path: path), encoding: .utf8)
    }

    /// Returns the code blocks of a language. The language "" selects the blocks that name none.
    static func blocks(_ language: String, in text: String) -> [String] {
        text.matches(of: /(?m)^```(\w*)\n((?:.|\n)*?)^```/).filter { $0.1 == language }.map { String($0.2) }
    }
}
