import Foundation
import TestSupport

/// The configuration file of a worker. It may change while the worker runs.
struct WorkerConfiguration: Sendable {
    let file: URL
    let values: [String: String]

    /// Writes the configuration file.
    ///
    /// - Parameter changes: the values that differ from ``values``.
    func write(changes: [String: String] = [:]) throws {
        let lines = values.merging(changes) { $1 }.sorted { $0.key < $1.key }.map { "\($0.key): \"\($0.value)\"\n" }
        // The file is replaced atomically, because a worker may be reading it.
        let new = file.appendingPathExtension("new")
        try PrivateFile.write(lines.joined(), to: new)
        guard rename(new.path, file.path) == 0 else { throw Failure(description: "can't replace \(file.path)") }
    }
}

/// A writer of files that only their owner can read. Workers require this for keys.
enum PrivateFile {
    static func write(_ text: String, to file: URL) throws {
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw Failure(description: "can't write \(file.path)") }
    }
}
