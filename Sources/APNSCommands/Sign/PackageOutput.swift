import Foundation
import MartletCommand
import PackageSigning

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Where a package goes: a file is there as a whole, or not at all. What is no file, such as a pipe or a device, is written into.
struct PackageOutput {
    /// `-`: standard output.
    let path: String
    /// Whether it may take another file's place.
    let force: Bool

    var isFile: Bool { !isStandardOutput && !isStream }

    private var isStandardOutput: Bool { ["-", "/dev/stdout"].contains(path) }

    /// - Throws: ``PackageFault`` if there is a file already.
    func check() throws {
        var facts = stat()
        guard !isStandardOutput, !isStream, !force, lstat(path, &facts) == 0 else { return }
        throw Self.exists(path)
    }

    func write(_ bytes: [UInt8]) throws {
        guard !isStandardOutput else { return try printBytes(bytes) }
        guard !isStream else { return try write(bytes, into: path, O_WRONLY) }
        // A link stays one.
        let place = force ? Self.realPath(path) ?? path : path
        let temporary = URL(filePath: place).deletingLastPathComponent()
            .appending(path: ".martlet-\(UUID().uuidString).new").path
        defer { unlink(temporary) }
        try write(bytes, into: temporary, O_CREAT | O_EXCL | O_WRONLY)
        // A second name takes nobody's place, however late the other came.
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

    /// It is there, or leads there, and nothing can take its place.
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
        PackageFault("\(path): is there already; --force replaces it")
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
