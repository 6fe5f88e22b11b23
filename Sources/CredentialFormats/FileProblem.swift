/// Why a file can't be used: the predicate of a sentence whose subject is the file. Never shows a secret.
public struct FileProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
