import AMQPClient
import EventNames
import Foundation
import Logging
import PostgresClient
import Threading

enum SecretText {
    /// A file's text without the line end that editors put behind it.
    static func read(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// On a connection's thread, which nothing may keep: a pipe that nobody writes would.
    static func readAgain(_ path: String) throws -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { throw ConfigurationError("it is not there") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= 65_536 else {
            throw ConfigurationError("it is no regular file of at most 64 KiB")
        }
        return try read(path)
    }
}

/// The files of secrets whose variable is unset or empty and whose variable with the suffix `_FILE` names a file.
struct SecretFiles {
    private(set) var paths: [ConfigurationKey: String] = [:]

    init(of secrets: [ConfigurationKey], _ environment: [String: String]) {
        for key in secrets where environment[key.environmentVariable]?.isEmpty != false {
            guard let path = environment[key.environmentVariable + "_FILE"], !path.isEmpty else { continue }
            paths[key] = path
        }
    }

    /// Returns the environment with these variables set to the contents of their files.
    func read(into environment: [String: String]) throws -> [String: String] {
        var environment = environment
        for (key, path) in paths {
            do {
                environment[key.environmentVariable] = try SecretText.read(path)
            } catch {
                throw ConfigurationError(
                    "\(key.environmentVariable)_FILE: can't read \(path): \(error.localizedDescription)")
            }
        }
        return environment
    }
}

/// A URL that was read again differs in more than what may change: it is half of one, or means something else.
struct SecretChange: Error {
    /// Names of what differs.
    let parts: [String]
}

extension AMQPConfiguration {
    /// - Parameter url: what the file said when this was read from it.
    mutating func readPasswordAgain(from path: String, first url: String) throws(AMQPError) {
        let first = try AMQPConfiguration(url: url)
        let file = SecretFile(path, first: password) { url in
            let read = try AMQPConfiguration(url: url)
            let parts = read.differences(from: first)
            guard parts.isEmpty else { throw SecretChange(parts: parts) }
            return read.password
        }
        currentPassword = { file.current }
    }
}

extension PostgresConfiguration {
    mutating func readAgain(from path: String, _ applicationName: String) {
        let first = self
        let file = SecretFile(path, first: self) { url in
            let read = try PostgresConfiguration(url: url, applicationName: applicationName)
            let parts = read.differences(from: first)
            guard parts.isEmpty else { throw SecretChange(parts: parts) }
            return read
        }
        current = { file.current }
    }
}

/// What a file with a secret says now: whoever writes it anew changes a password without a restart.
///
/// A file that can't be read, says nothing of use or too much leaves the last value in force, and the log says so.
final class SecretFile<Value: Sendable>: Sendable {
    private let path: String
    private let parse: @Sendable (String) throws -> Value
    private let last: Mutex<Value>

    init(_ path: String, first: Value, parse: @escaping @Sendable (String) throws -> Value) {
        self.path = path
        self.parse = parse
        last = Mutex(first)
    }

    /// Reads the file: from a thread that may block.
    var current: Value {
        do {
            let value = try parse(try SecretText.readAgain(path))
            last.withLock { $0 = value }
            return value
        } catch let change as SecretChange {
            Logger(label: "martlet.configuration").error(
                .secretRefused, "A URL was read again and differs in more than it may, the last one stays in force",
                metadata: ["file": "\(path)", "differs": "\(change.parts.joined(separator: ", "))"])
        } catch {
            let reason = (error as? CocoaError)?.localizedDescription ?? "\(error)"
            Logger(label: "martlet.configuration").warning(
                .secretUnreadable, "A secret can't be read again, the last one stays in force",
                metadata: ["file": "\(path)", "error": "\(reason)"])
        }
        return last.withLock { $0 }
    }
}
