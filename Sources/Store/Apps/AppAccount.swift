public import PushModel

/// Whose credentials an app's pushes have, with one output.
public struct AppAccount: Sendable, Hashable {
    /// The provider's name for it: Apple's team id, say.
    public var id: String
    /// The id of a credential that goes before every other.
    public var credential: Credential.ID?

    public init(_ id: String, credential: Credential.ID? = nil) {
        self.id = id
        self.credential = credential
    }
}
