/// A file that a person imports as a credential, or as a part of one.
public struct CredentialFile: Sendable {
    /// The name of the file in error messages.
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

/// The reason why files and details do not result in a credential.
public struct CredentialFault: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
