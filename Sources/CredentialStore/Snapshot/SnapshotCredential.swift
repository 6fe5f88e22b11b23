package import PushModel

/// A credential as routing sees it.
package struct SnapshotCredential: Sendable {
    package let summary: CredentialSummary
    /// Opened, or why it could not be.
    package let opened: Result<Credential, CredentialStoreError>

    package init(summary: CredentialSummary, opened: Result<Credential, CredentialStoreError>) {
        self.summary = summary
        self.opened = opened
    }

    var problem: CredentialStoreError? {
        if case .failure(let error) = opened { error } else { nil }
    }

    /// The credential, or why it can't be used at this moment.
    func usable(at now: Timestamp) -> Result<Credential, Unusable> {
        let name = "credential \(summary.id) (\(summary.label))"
        if summary.state != .active {
            return .failure(Unusable("\(name) is \(summary.state.rawValue)"))
        }
        if let notAfter = summary.notAfter, now >= notAfter {
            return .failure(Unusable("\(name) expired on \(notAfter.rfc3339)"))
        }
        if let notBefore = summary.notBefore, now < notBefore {
            return .failure(Unusable("\(name) is not valid before \(notBefore.rfc3339)"))
        }
        return opened.mapError { Unusable($0.message) }
    }

    struct Unusable: Error {
        let explanation: String
        init(_ explanation: String) { self.explanation = explanation }
    }
}
