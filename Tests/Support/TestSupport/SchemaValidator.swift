import Foundation

/// A wrapper of scripts/validate-schema that checks many samples in one process.
package enum SchemaValidator {
    /// Checks samples against a schema.
    /// - Returns: the problems of each invalid sample, by the sample's index.
    package static func problems(in samples: [String], schema: String) async throws -> [Int: [String]] {
        let finished = try await Subprocess.run(
            [
                "/usr/bin/python3", Project.root.appending(path: "scripts/validate-schema").path, "-",
                Project.root.appending(path: "docs/schema/\(schema)").path,
            ], input: samples.map { $0 + "\n" }.joined())
        var problems: [Int: [String]] = [:]
        for line in finished.output.split(separator: "\n") {
            guard let parts = line.wholeMatch(of: /line ([0-9]+): (.*)/), let number = Int(parts.1) else {
                throw ValidatorFailed(description: "\(finished)")
            }
            problems[number - 1, default: []].append(String(parts.2))
        }
        guard finished.status == (problems.isEmpty ? 0 : 1) else { throw ValidatorFailed(description: "\(finished)") }
        return problems
    }
}

private struct ValidatorFailed: Error, CustomStringConvertible {
    let description: String
}
