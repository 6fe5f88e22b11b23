public import PushModel

/// The result of importing a credential that may be the only one of its account.
public enum BoundImport: Sendable, Hashable {
    case added(Credential.ID)
    /// The same key is already in use.
    case unchanged(Credential.ID)
}
