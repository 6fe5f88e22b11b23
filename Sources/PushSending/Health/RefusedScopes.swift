/// The topics or apps for which the provider has refused the credential since it last accepted a push. They show whether
/// the provider probably refuses the credential for all pushes. A value type without clock or I/O.
struct RefusedScopes: Sendable {
    private var first: ObjectIdentifier?
    /// Whether the provider has refused the credential for several topics or apps, or for the only one, and has accepted
    /// no push since.
    private(set) var concernCredential = false
    /// The time at which the newest refused request was written.
    private var writtenAt = Int64.min

    /// Records a refusal of the credential.
    ///
    /// - Parameter isOnly: Whether the pool has no other topic or app.
    mutating func refused(_ scope: ScopeHealth, isOnly: Bool, writtenAt time: Int64) {
        let scope = ObjectIdentifier(scope)
        if isOnly || first ?? scope != scope { concernCredential = true }
        first = first ?? scope
        writtenAt = max(writtenAt, time)
    }

    /// Records an accepted push. It is ignored if it was written before the newest refused request.
    ///
    /// - Returns: Whether the provider refused the credential for all pushes until now.
    mutating func accepted(writtenAt time: Int64) -> Bool {
        guard first != nil, time > writtenAt else { return false }
        defer { self = RefusedScopes() }
        return concernCredential
    }
}
