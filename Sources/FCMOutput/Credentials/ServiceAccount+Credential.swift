import PushModel

extension ServiceAccount {
    /// Creates a service account from a stored credential.
    ///
    /// - Throws: ``ServiceAccount/Fault`` if the credential has no secret or its JSON is invalid.
    init(of credential: Credential) throws(Fault) {
        guard case .secret(let json) = credential.kind else {
            throw Fault(description: "the credential is not a service account")
        }
        try self.init(json)
    }
}
