public import PushModel

/// The account whose credentials an app uses with one output.
public struct AppAccount: Sendable, Hashable {
    /// The provider's id of the account, for example Apple's team id.
    public var id: String
    /// The id of the credential that takes precedence over all others, or `nil` if none does.
    public var credential: Credential.ID?

    public init(_ id: String, credential: Credential.ID? = nil) {
        self.id = id
        self.credential = credential
    }
}
