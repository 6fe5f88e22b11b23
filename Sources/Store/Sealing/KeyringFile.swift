import Foundation
import Glibc

/// A keyring file. Only its owner and its group may read it, and only its owner may write it.
struct KeyringFile: Sendable {
    /// The version of the file, which changes whenever its contents or its permissions change.
    struct Version: Sendable, Equatable {
        private let device, inode, size: UInt64
        private let modified, changed: [Int]

        fileprivate init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = UInt64(bitPattern: Int64(status.st_size))
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
            changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }
    }

    let path: String

    /// Returns the current version of the file.
    ///
    /// - Throws: ``StoreError`` with code `keyring`, which names the file.
    func version() throws(StoreError) -> Version {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .keyring(path, Self.reason) }
        return Version(status)
    }

    /// Reads the keys in the file, after checking its permissions. If another file replaces the file meanwhile, the
    /// keys, the permissions and the version are still those of one file.
    ///
    /// - Returns: the keys, and the version of the file before it was read. A file that changes meanwhile therefore
    ///   gets another version.
    /// - Throws: ``StoreError`` with code `keyring`, which names the file and line.
    func read() throws(StoreError) -> (keys: MasterKeys, version: Version) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .keyring(path, Self.reason) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .keyring(path, Self.reason) }
        let (groupMayWrite, othersMayDoAnything): (mode_t, mode_t) = (0o020, 0o007)
        let mode = status.st_mode
        guard mode & (groupMayWrite | othersMayDoAnything) == 0 else {
            throw .keyring(
                path,
                "its permissions (0\(String(mode & 0o777, radix: 8))) are too wide: run chmod 600, or 640 for a group")
        }
        var contents = try contents(of: file, size: Int(status.st_size))
        defer { contents.erase() }
        return (try MasterKeys(text: contents, source: path), Version(status))
    }

    /// Reads an open file to its end. The buffer has room for the whole file, because a buffer that grows would leave
    /// copies of the keys in memory. Only a pipe or a file that grows meanwhile can need more room.
    private func contents(of file: Int32, size: Int) throws(StoreError) -> Data {
        var contents = Data(count: max(size + 1, 4_096))
        var end = 0
        while true {
            if end == contents.count { contents.append(Data(count: contents.count)) }
            let room = contents.count - end
            let count = contents.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress?.advanced(by: end), room) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let reason = Self.reason
                contents.erase()
                throw .keyring(path, "cannot be read: \(reason)")
            }
            end += count
            if count == 0 { break }
        }
        contents.removeLast(contents.count - end)
        return contents
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
