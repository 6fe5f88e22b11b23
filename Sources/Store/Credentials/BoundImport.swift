public import PushModel

/// What became of a credential that may be the only one of its account.
public enum BoundImport: Sendable, Hashable {
    case added(Credential.ID)
    /// The same key is in use already.
    case unchanged(Credential.ID)
}
