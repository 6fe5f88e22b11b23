package import AMQPClient
import Foundations
import Foundation
import Logging
import PostgresClient

package enum SecretText {
    /// Returns the text of a file without surrounding white space. Editors often append a line end.
    package static func read(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Reads the file of a secret again and returns its text. Accepts only small regular files, because reading a pipe
    /// without a writer would block the connection's thread.
    package static func readAgain(_ path: String) throws -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { throw ConfigurationError("it does not exist") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= 65_536 else {
            throw ConfigurationError("it is not a regular file of at most 64 KiB")
        }
        return try read(path)
    }
}

/// The files that contain secrets. A secret comes from a file if its environment variable is unset or empty, and the
/// variable with the suffix `_FILE` contains a path.
package struct SecretFiles {
    private(set) var paths: [ConfigurationKey: String] = [:]

    package init(of secrets: [ConfigurationKey], _ environment: [String: String]) {
        for key in secrets where environment[key.environmentVariable]?.isEmpty != false {
            guard let path = environment[key.environmentVariable + "_FILE"], !path.isEmpty else { continue }
            paths[key] = path
        }
    }

    /// Returns a copy of the environment in which the variable of each secret contains the text of its file.
    package func read(into environment: [String: String]) throws -> [String: String] {
        var environment = environment
        for (key, path) in paths {
            do {
                environment[key.environmentVariable] = try SecretText.read(path)
            } catch {
                throw ConfigurationError(
                    "\(key.environmentVariable)_FILE: cannot read \(path): \(error.localizedDescription)")
            }
        }
        return environment
    }
}

/// An error for a reloaded URL that differs in a part that must not change. The file may be incomplete, or the URL may
/// name another server.
package struct SecretChange: Error {
    /// The names of the parts that differ.
    package let parts: [String]
}

extension AMQPConfiguration {
    /// Reads the password again from a file whenever a connection needs it.
    ///
    /// - Parameter url: the URL from which this configuration was created.
    package mutating func readPasswordAgain(from path: String, first url: String) throws(AMQPError) {
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
    package mutating func readAgain(from path: String, _ applicationName: String) {
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

/// A secret that is read again from its file whenever a connection needs it. Therefore a password can be changed
/// without a restart.
///
/// If the file can't be read or parsed, or if a part differs that must not change, the last value stays in use and the
/// failure is logged.
package final class SecretFile<Value: Sendable>: Sendable {
    private let path: String
    private let parse: @Sendable (String) throws -> Value
    private let last: Mutex<Value>

    package init(_ path: String, first: Value, parse: @escaping @Sendable (String) throws -> Value) {
        self.path = path
        self.parse = parse
        last = Mutex(first)
    }

    /// The current value of the secret. It is read from the file, so the calling thread may be blocked.
    package var current: Value {
        do {
            let value = try parse(try SecretText.readAgain(path))
            last.withLock { $0 = value }
            return value
        } catch let change as SecretChange {
            Logger(label: "martlet.configuration").error(
                .secretRefused, "A reloaded URL differs in more than its password; the last one stays in force",
                metadata: ["file": "\(path)", "differs": "\(change.parts.joined(separator: ", "))"])
        } catch {
            let reason = (error as? CocoaError)?.localizedDescription ?? "\(error)"
            Logger(label: "martlet.configuration").warning(
                .secretUnreadable, "A secret cannot be reloaded; the last one stays in force",
                metadata: ["file": "\(path)", "error": "\(reason)"])
        }
        return last.withLock { $0 }
    }
}
