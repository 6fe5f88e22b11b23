import Foundation
public import PushModel

extension CredentialFile {
    /// Reads a file.
    ///
    /// - Throws: `CredentialFault` if the file cannot be read.
    public init(path: String) throws(CredentialFault) {
        func error(_ problem: String) -> CredentialFault { CredentialFault("\(path): \(problem)") }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
            !isDirectory.boolValue, let file = FileHandle(forReadingAtPath: path)
        else {
            throw error(isDirectory.boolValue ? "is a directory" : "does not exist or cannot be read")
        }
        defer { try? file.close() }
        var contents = Data()
        do {
            // Reading one byte more than allowed detects a file that is too large. A pipe delivers its data in pieces,
            // so the loop reads to its end.
            while contents.count <= FileContents.greatestSize,
                let more = try file.read(upToCount: FileContents.greatestSize + 1 - contents.count), !more.isEmpty
            {
                contents += more
            }
        } catch let problem {
            throw error("cannot be read: \(problem.localizedDescription)")
        }
        self.init(name: URL(filePath: path).lastPathComponent, contents: Secret(contents))
    }

    /// Returns the keys and certificates in the file.
    ///
    /// - Throws: `CredentialFault` if the contents are unreadable or the passphrase is wrong.
    public func open(passphrase: Secret?) throws(CredentialFault) -> FileContents {
        do throws(FileProblem) {
            return try contents.withBytes { bytes throws(FileProblem) in
                try FileContents(bytes, passphrase: passphrase)
            }
        } catch let problem {
            throw fault(problem.description)
        }
    }
}
