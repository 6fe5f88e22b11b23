import Foundation
import MartletCommand
import PackageSigning

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Where a package goes: there as a whole, or not at all.
struct PackageOutput {
    /// `-`: standard output.
    let path: String
    /// Whether it may take another file's place.
    let force: Bool

    /// - Throws: ``PackageFault`` if there is a file already.
    func check() throws {
        var facts = stat()
        guard path != "-", !force, lstat(path, &facts) == 0 else { return }
        throw Self.exists(path)
    }

    func write(_ bytes: [UInt8]) throws {
        guard path != "-" else { return try printBytes(bytes) }
        let temporary = "\(path).\(getpid()).new"
        let file = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw PackageFault("\(path): \(Self.reason)") }
        defer { unlink(temporary) }
        do {
            let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
            try handle.write(contentsOf: Data(bytes))
            try handle.synchronize()
            try handle.close()
        } catch {
            throw PackageFault("\(path): \(error.localizedDescription)")
        }
        // A second name takes nobody's place, however late the other came.
        guard force ? rename(temporary, path) == 0 : link(temporary, path) == 0 else {
            throw errno == EEXIST ? Self.exists(path) : PackageFault("\(path): \(Self.reason)")
        }
    }

    private static func exists(_ path: String) -> PackageFault {
        PackageFault("\(path): is there already; --force replaces it")
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
