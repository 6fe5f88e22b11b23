import Foundation
import Testing

/// scripts/validate-schema: many samples, one process.
enum SchemaValidator {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// - Returns: by the sample's index, what the schema says against it.
    static func problems(in samples: [String], schema: String) throws -> [Int: [String]] {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        try (samples.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)

        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            root.appending(path: "scripts/validate-schema").path(), file.path(),
            root.appending(path: "docs/schema/\(schema)").path(),
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()

        var problems: [Int: [String]] = [:]
        for line in text.split(separator: "\n") {
            let parts = try #require(line.wholeMatch(of: /line ([0-9]+): (.*)/), "validate-schema says: \(text)")
            problems[(Int(parts.1) ?? 0) - 1, default: []].append(String(parts.2))
        }
        try #require(process.terminationStatus == (problems.isEmpty ? 0 : 1), "validate-schema says: \(text)")
        return problems
    }
}
