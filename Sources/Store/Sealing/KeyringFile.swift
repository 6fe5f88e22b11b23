import Foundation

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
        Version(try status())
    }

    /// Reads the keys in the file, after checking its permissions.
    ///
    /// - Throws: ``StoreError`` with code `keyring`, which names the file and line.
    func read() throws(StoreError) -> MasterKeys {
        let (groupMayWrite, othersMayDoAnything): (mode_t, mode_t) = (0o020, 0o007)
        let mode = try status().st_mode
        guard mode & (groupMayWrite | othersMayDoAnything) == 0 else {
            throw .keyring(
                path,
                "its permissions (0\(String(mode & 0o777, radix: 8))) are too wide: run chmod 600, or 640 for a group")
        }
        guard var contents = FileManager.default.contents(atPath: path) else {
            throw .keyring(path, "cannot be read")
        }
        defer { contents.erase() }
        return try MasterKeys(text: contents, source: path)
    }

    private func status() throws(StoreError) -> stat {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .keyring(path, String(cString: strerror(errno)))
        }
        return status
    }
}
