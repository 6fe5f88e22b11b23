import CredentialFormats
import Foundation
public import PushModel

/// A file that somebody wants to import.
public struct CredentialFile: Sendable {
    /// What errors call it.
    public let name: String
    private let contents: Secret

    public init(name: String, contents: Secret) {
        self.name = name
        self.contents = contents
    }

    /// - Throws: ``CredentialStoreError`` with code `badCredentialFile` if it can't be read.
    public init(path: String) throws(CredentialStoreError) {
        func error(_ problem: String) -> CredentialStoreError {
            CredentialStoreError(.badCredentialFile, "\(path): \(problem)")
        }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
            !isDirectory.boolValue, let file = FileHandle(forReadingAtPath: path)
        else {
            throw error(isDirectory.boolValue ? "is a directory" : "no such file, or it can't be read")
        }
        defer { try? file.close() }
        var contents = Data()
        do {
            // One byte too many is enough to know. A pipe gives what it has, so it is asked until it has no more.
            while contents.count <= FileContents.greatestSize,
                let more = try file.read(upToCount: FileContents.greatestSize + 1 - contents.count), !more.isEmpty
            {
                contents += more
            }
        } catch let problem {
            throw error("can't be read: \(problem.localizedDescription)")
        }
        self.init(name: URL(filePath: path).lastPathComponent, contents: Secret(contents))
    }

    func open(passphrase: Secret?) throws(CredentialStoreError) -> FileContents {
        do throws(FileProblem) {
            return try contents.withBytes { bytes throws(FileProblem) in
                try FileContents(bytes, passphrase: passphrase)
            }
        } catch let problem {
            throw error(problem.description)
        }
    }

    func error(_ problem: String) -> CredentialStoreError {
        CredentialStoreError(.badCredentialFile, "\(name): \(problem)")
    }
}
