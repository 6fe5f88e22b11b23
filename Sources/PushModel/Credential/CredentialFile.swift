/// A file that somebody wants to import as a credential, or as a part of one.
public struct CredentialFile: Sendable {
    /// What errors call it.
    public let name: String
    public let contents: Secret

    public init(name: String, contents: Secret) {
        self.name = name
        self.contents = contents
    }

    public func fault(_ problem: String) -> CredentialFault {
        CredentialFault("\(name): \(problem)")
    }
}

/// Why no credential can be made of files, or of what was said beside them.
public struct CredentialFault: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
