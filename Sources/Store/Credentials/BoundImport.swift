package import PushModel

/// The result of importing a credential for an account that may have only one key in use.
package enum BoundImport: Sendable, Hashable {
    case added(Credential.ID)
    /// The same key is already in use. The value is the id of the existing credential.
    case unchanged(Credential.ID)
}
