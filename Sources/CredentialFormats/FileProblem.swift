/// The reason why a file cannot be used. The text continues a sentence that begins with the name of the file, such as
/// "is empty". It never contains a secret.
public struct FileProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
