import Foundation

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The folder from which a package is made. Files outside the folder are never read. A symbolic link may lead to
/// another place in the folder, as in a mounted ConfigMap, but not out of it.
package struct SourceFolder {
    /// The maximum size of a package, in bytes. Phones download packages, so real packages are much smaller.
    package static let greatestSize = 64 * 1024 * 1024

    /// The kind of an entry in a folder.
    package enum Entry: Hashable {
        case file
        case folder
    }

    private let root: String
    private let output: String?

    /// Opens a folder.
    ///
    /// - Parameter output: the path at which the new package will be stored, or `nil`. A package or a link that already
    ///   exists there is not included in the new package.
    /// - Throws: ``PackageFault`` if the path is not a folder.
    package init(path: String, output: String? = nil) throws(PackageFault) {
        guard let real = Self.realPath(path) else { throw PackageFault("\(path): \(Self.reason)") }
        root = real
        self.output = output.flatMap(Self.destination)
        guard try entry("") == .folder else { throw PackageFault("\(path): is not a folder") }
    }

    /// Returns the kind of the entry at a path, or `nil` if nothing exists at this path.
    ///
    /// - Parameter path: a relative path, or an empty string for the folder itself.
    /// - Throws: ``PackageFault`` if the path leads out of the folder, is a link to a missing file, or is neither a
    ///   file nor a folder.
    package func entry(_ path: String) throws(PackageFault) -> Entry? {
        guard let real = try place(of: path) else { return nil }
        var facts = stat()
        guard stat(real, &facts) == 0 else { throw PackageFault("\(path): \(Self.reason)") }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: throw PackageFault("\(path): is neither a file nor a folder")
        }
    }

    /// Returns the sorted names in a folder. Hidden files, files that operating systems leave in folders, and an older
    /// version of the package to be written are omitted.
    package func names(in path: String = "") throws(PackageFault) -> [String] {
        guard let real = try place(of: path) else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: real)
                .filter { !Self.isLitter($0) && (output == nil || Self.destination("\(real)/\($0)") != output) }
                .sorted()
        } catch let error {
            throw PackageFault("\(path): cannot be read: \(error.localizedDescription)")
        }
    }

    /// Returns the contents of a file.
    ///
    /// - Parameter room: the maximum size of the file, in bytes.
    /// - Throws: ``PackageFault`` if the file cannot be read or is larger.
    package func bytes(of path: String, room: Int = greatestSize) throws(PackageFault) -> [UInt8] {
        guard let real = try place(of: path), let file = FileHandle(forReadingAtPath: real) else {
            throw PackageFault("\(path): cannot be read: \(Self.reason)")
        }
        defer { try? file.close() }
        var contents = Data()
        do {
            while contents.count <= room, let more = try file.read(upToCount: room + 1 - contents.count), !more.isEmpty
            {
                contents += more
            }
        } catch let error {
            throw PackageFault("\(path): cannot be read: \(error.localizedDescription)")
        }
        guard contents.count <= room else {
            throw PackageFault("\(path): too large: a package may have at most \(Self.greatestSize >> 20) MiB")
        }
        return Array(contents)
    }

    /// Returns the fault for a name that was listed but has disappeared, or that is not UTF-8.
    static func missing(_ path: String) -> String {
        path.contains("\u{FFFD}") ? "\(path): has a name that is not UTF-8" : "\(path): no longer exists"
    }

    /// Returns whether a file is hidden or was left by Finder or Explorer. Apple refuses packages with such files.
    private static func isLitter(_ name: String) -> Bool {
        name.hasPrefix(".") || ["__MACOSX", "Thumbs.db", "desktop.ini"].contains(name)
    }

    /// Returns the real path of an entry, or `nil` if nothing exists at this path.
    private func place(of path: String) throws(PackageFault) -> String? {
        guard !path.isEmpty else { return root }
        guard let real = Self.realPath(root + "/" + path) else {
            guard errno == ENOENT || errno == ENOTDIR else { throw PackageFault("\(path): \(Self.reason)") }
            var facts = stat()
            guard lstat(root + "/" + path, &facts) != 0 else {
                throw PackageFault("\(path): is a link to a missing file")
            }
            return nil
        }
        guard real.hasPrefix(root == "/" ? "/" : root + "/") else {
            throw PackageFault("\(path): is a link to a file outside the folder: copy the file into the folder")
        }
        return real
    }

    /// Returns the path of the file that is replaced when a package is written to a path, or `nil` if its folder does
    /// not exist. A link to an existing file leads to this file. A link to a missing file is itself replaced.
    private static func destination(_ path: String) -> String? {
        if let real = realPath(path) { return real }
        let name = path.split(separator: "/").last ?? ""
        let folder = path.dropLast(name.count)
        return realPath(folder.isEmpty ? "." : String(folder)).map { "\($0)/\(name)" }
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
