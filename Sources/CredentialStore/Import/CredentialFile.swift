public import PushModel
import Foundation

/// A file that somebody wants to import.
public struct CredentialFile: Sendable {
    /// What errors call it.
    public let name: String
    let contents: Secret

    public init(name: String, contents: Secret) {
        self.name = name
        self.contents = contents
    }

    /// - Throws: ``CredentialStoreError`` with code `badCredentialFile` if it can't be read.
    public init(path: String) throws(CredentialStoreError) {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw CredentialStoreError(.badCredentialFile, "\(path): no such file, or it can't be read")
        }
        self.init(name: URL(filePath: path).lastPathComponent, contents: Secret(contents))
    }

    func error(_ problem: String) -> CredentialStoreError {
        CredentialStoreError(.badCredentialFile, "\(name): \(problem)")
    }
}
