/// A file that an operator imports as a credential, or as a part of one.
public struct CredentialFile: Sendable {
    /// The name of the file in error messages.
    public let name: String
    public let contents: Secret

    public init(name: String, contents: Secret) {
        self.name = name
        self.contents = contents
    }

    /// Returns an error whose message starts with the name of the file.
    public func fault(_ problem: String) -> CredentialFault {
        CredentialFault("\(name): \(problem)")
    }
}

/// The reason why a credential cannot be made from the files and details.
public struct CredentialFault: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
