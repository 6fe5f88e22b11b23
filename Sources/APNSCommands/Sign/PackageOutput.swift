import CommandSupport
import Foundation
import MartletCommand
import PackageSigning

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The destination of a package. A file is written completely or not at all. Other destinations, such as a pipe or a
/// device, are written to directly.
struct PackageOutput {
    /// The path of the destination, or `-` for standard output.
    let path: String
    /// Whether an existing file may be replaced.
    let force: Bool

    var isFile: Bool { !isStandardOutput && !isStream }

    private var isStandardOutput: Bool { ["-", "/dev/stdout"].contains(path) }

    /// Checks that no existing file would be replaced without ``force``.
    /// - Throws: `PackageFault` if the file exists.
    func check() throws {
        var facts = stat()
        guard !isStandardOutput, !isStream, !force, lstat(path, &facts) == 0 else { return }
        throw Self.exists(path)
    }

    func write(_ bytes: [UInt8]) throws {
        guard !isStandardOutput else { return try printBytes(bytes) }
        guard !isStream else { return try write(bytes, into: path, O_WRONLY) }
        // With `force`, if the path is a symbolic link to an existing file, the file is replaced and the link is kept.
        // A link to a missing file is itself replaced, so that nothing is created at another place.
        let place = force ? Self.realPath(path) ?? path : path
        let temporary = URL(filePath: place).deletingLastPathComponent()
            .appending(path: ".martlet-\(UUID().uuidString).new").path
        defer { unlink(temporary) }
        try write(bytes, into: temporary, O_CREAT | O_EXCL | O_WRONLY)
        // A hard link never replaces an existing file, even one that was created just before.
        guard force ? rename(temporary, place) == 0 : link(temporary, place) == 0 else {
            throw errno == EEXIST ? Self.exists(path) : PackageFault("\(path): \(Self.reason)")
        }
    }

    private func write(_ bytes: [UInt8], into place: String, _ flags: Int32) throws {
        let file = open(place, flags | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw PackageFault("\(path): \(Self.reason)") }
        do {
            let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
            try handle.write(contentsOf: Data(bytes))
            if !isStream { try handle.synchronize() }
            try handle.close()
        } catch {
            throw PackageFault("\(path): \(error.localizedDescription)")
        }
    }

    /// Whether something other than a regular file exists at the path, such as a pipe or a device.
    private var isStream: Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private static func exists(_ path: String) -> PackageFault {
        PackageFault("\(path): already exists; --force replaces it")
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
