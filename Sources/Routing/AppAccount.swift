package import PushModel

/// The account whose credentials an app uses with one output.
package struct AppAccount: Sendable, Hashable {
    /// The provider's id of the account, for example Apple's team id.
    package var id: String
    /// The id of the credential that the app names, or `nil` if it names none. If it is set, a job that names no
    /// credential itself can use only this one.
    package var credential: Credential.ID?

    package init(_ id: String, credential: Credential.ID? = nil) {
        self.id = id
        self.credential = credential
    }
}
