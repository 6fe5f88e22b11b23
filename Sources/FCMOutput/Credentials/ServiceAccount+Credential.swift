import PushModel

extension ServiceAccount {
    /// - Throws: ``ServiceAccount/Fault``.
    init(of credential: Credential) throws(Fault) {
        guard case .secret(let json) = credential.kind else {
            throw Fault(description: "the credential is no service account")
        }
        try self.init(json)
    }
}
