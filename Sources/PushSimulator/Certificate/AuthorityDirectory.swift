public import Foundation

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A directory that stores a certificate authority, so that clients still trust the simulator after a restart.
public struct AuthorityDirectory: Sendable {
    public let path: String

    public init(path: String) {
        self.path = path
    }

    /// The path of the authority's certificate, which clients must trust.
    public var certificatePath: String { path + "/ca.pem" }
    var keyPath: String { path + "/ca-key.pem" }

    /// Reads the stored authority, or creates and stores a new one. Another process may call this at the same time.
    ///
    /// - Throws: ``SimulatorError`` that names the file if it cannot be read, used or written.
    public func loadOrCreate() throws -> CertificateAuthority {
        try whileLocked {
            if FileManager.default.fileExists(atPath: keyPath) {
                return try load()
            }
            let authority = try CertificateAuthority()
            try Self.save(authority.certificatePEM, to: certificatePath, mode: 0o644)
            // The key is written last, because its presence marks the authority as complete.
            try Self.save(authority.keyPEM, to: keyPath, mode: 0o600)
            return authority
        }
    }

    private func load() throws -> CertificateAuthority {
        do {
            return try CertificateAuthority(
                certificatePEM: String(contentsOfFile: certificatePath, encoding: .utf8),
                keyPEM: String(contentsOfFile: keyPath, encoding: .utf8))
        } catch {
            throw SimulatorError("\(certificatePath) and \(keyPath) contain no usable authority: \(error)")
        }
    }

    /// Runs `body` while no other process works in this directory. Creates the directory if it is missing.
    ///
    /// - Throws: ``SimulatorError`` that names the path if it cannot be created or used.
    package func whileLocked<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
            throw SimulatorError("directory \(path): cannot be created: \(cause.localizedDescription)")
        }
        let lock = open(path + "/ca.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw SimulatorError("\(path)/ca.lock: \(String(cString: strerror(errno)))")
        }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else {
            throw SimulatorError("\(path)/ca.lock: \(String(cString: strerror(errno)))")
        }
        return try body()
    }

    /// Writes a text file atomically. The mode applies from the start, so other users can never read a private file.
    ///
    /// - Throws: ``SimulatorError`` that names the file.
    public static func save(_ text: String, to path: String, mode: Int) throws {
        try save(Data(text.utf8), to: path, mode: mode)
    }

    /// Writes a binary file atomically. The mode applies from the start, so other users can never read a private file.
    ///
    /// - Throws: ``SimulatorError`` that names the file.
    public static func save(_ bytes: Data, to path: String, mode: Int) throws {
        let temporary = path + ".new"
        unlink(temporary)
        let file = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode_t(mode))
        guard file >= 0 else {
            throw SimulatorError("\(path): \(String(cString: strerror(errno)))")
        }
        do {
            let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
            try handle.write(contentsOf: bytes)
            try handle.close()
        } catch {
            throw SimulatorError("\(path): \(error.localizedDescription)")
        }
        guard rename(temporary, path) == 0 else {
            throw SimulatorError("\(path): \(String(cString: strerror(errno)))")
        }
    }
}
