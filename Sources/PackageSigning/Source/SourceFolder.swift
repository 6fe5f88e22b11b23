import Foundation

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The folder that a package is made of. Nothing outside of it is read: a link may lead to another place in it, as those of
/// a mounted ConfigMap do, and no further.
package struct SourceFolder {
    /// Packages are fetched by telephones; this is far more than any may have.
    package static let greatestSize = 64 * 1024 * 1024

    /// What is in a folder, or nothing.
    package enum Entry: Hashable {
        case file
        case folder
    }

    private let root: String
    private let output: String?

    /// - Parameter output: where the package goes: one that lies there already is no part of the next.
    /// - Throws: ``PackageFault`` if it is none.
    package init(path: String, output: String? = nil) throws(PackageFault) {
        guard let real = Self.realPath(path) else { throw PackageFault("\(path): \(Self.reason)") }
        root = real
        self.output = output.flatMap(Self.realPath)
        guard try entry("") == .folder else { throw PackageFault("\(path): is no folder") }
    }

    /// - Parameter path: relative; empty for the folder itself.
    /// - Returns: nil where nothing is there.
    /// - Throws: ``PackageFault`` for what leads out of the folder, and for what is neither file nor folder.
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

    /// Names in a folder, in a fixed order; what systems leave behind is not among them.
    package func names(in path: String = "") throws(PackageFault) -> [String] {
        guard let real = try place(of: path) else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: real)
                .filter { !Self.isLitter($0) && (output == nil || Self.realPath("\(real)/\($0)") != output) }.sorted()
        } catch let error {
            throw PackageFault("\(path): can't be read: \(error.localizedDescription)")
        }
    }

    /// - Parameter room: more bytes than that it must not have.
    package func bytes(of path: String, room: Int = greatestSize) throws(PackageFault) -> [UInt8] {
        guard let real = try place(of: path), let file = FileHandle(forReadingAtPath: real) else {
            throw PackageFault("\(path): can't be read: \(Self.reason)")
        }
        defer { try? file.close() }
        var contents = Data()
        do {
            while contents.count <= room, let more = try file.read(upToCount: room + 1 - contents.count), !more.isEmpty
            {
                contents += more
            }
        } catch let error {
            throw PackageFault("\(path): can't be read: \(error.localizedDescription)")
        }
        guard contents.count <= room else {
            throw PackageFault("\(path): too much: a package has at most \(Self.greatestSize >> 20) MiB")
        }
        return Array(contents)
    }

    /// What is wrong with a name that was listed, and is no name of anything.
    static func missing(_ path: String) -> String {
        path.contains("\u{FFFD}") ? "\(path): has a name that is not UTF-8" : "\(path): is not there any more"
    }

    /// Hidden files, and what Finder and Explorer leave: Apple refuses packages that have them.
    private static func isLitter(_ name: String) -> Bool {
        name.hasPrefix(".") || ["__MACOSX", "Thumbs.db", "desktop.ini"].contains(name)
    }

    /// - Returns: nil where nothing is there.
    private func place(of path: String) throws(PackageFault) -> String? {
        guard !path.isEmpty else { return root }
        guard let real = Self.realPath(root + "/" + path) else {
            guard errno == ENOENT || errno == ENOTDIR else { throw PackageFault("\(path): \(Self.reason)") }
            var facts = stat()
            guard lstat(root + "/" + path, &facts) != 0 else {
                throw PackageFault("\(path): is a link to what is not there")
            }
            return nil
        }
        guard real.hasPrefix(root == "/" ? "/" : root + "/") else {
            throw PackageFault("\(path): is a link that leads out of the folder: put the file itself there")
        }
        return real
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
