import Foundation

/// Runs `body` with the path of a temporary file that has the given content.
package func withFile<R>(_ content: String, _ body: (String) async throws -> R) async throws -> R {
    let file = FileManager.default.temporaryDirectory.appending(path: "martlet-test-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try content.write(to: file, atomically: true, encoding: .utf8)
    return try await body(file.path())
}

/// Returns the text of the error that `body` throws, or `nil` if it succeeds.
package func failure<R>(_ body: () async throws -> R) async -> String? {
    do {
        _ = try await body()
        return nil
    } catch {
        return "\(error)"
    }
}
