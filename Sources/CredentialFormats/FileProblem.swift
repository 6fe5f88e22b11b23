/// The reason why a file cannot be used. The text is the predicate of a sentence whose subject is the file. It never
/// contains a secret.
public struct FileProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
