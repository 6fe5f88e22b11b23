package import PushModel

/// A credential as routing sees it.
package struct SnapshotCredential: Sendable {
    package let summary: CredentialSummary
    /// Opened, or why it could not be.
    package let opened: Result<Credential, CredentialStoreError>
    /// Why the row can't be opened now although `opened` is good: the secret was opened before.
    let keptBecause: CredentialStoreError?

    package init(
        summary: CredentialSummary, opened: Result<Credential, CredentialStoreError>
    ) {
        self.init(summary: summary, opened: opened, keptBecause: nil)
    }

    private init(
        summary: CredentialSummary, opened: Result<Credential, CredentialStoreError>, keptBecause: CredentialStoreError?
    ) {
        self.summary = summary
        self.opened = opened
        self.keptBecause = keptBecause
    }

    /// Opens a row. When its master key is not there (it was sealed anew under a key that has not come here yet),
    /// the secret stays in use that was opened before, provided that the row is still of the same key.
    init(_ row: CredentialRow, keyring: MasterKeyring, previous: SnapshotCredential?) {
        do throws(CredentialStoreError) {
            self.init(summary: row.summary, opened: .success(try row.open(with: keyring)))
        } catch {
            if error.code == .missingMasterKey, let known = previous?.secret(of: row.summary) {
                self.init(
                    summary: row.summary, opened: .success(Credential(row.summary, kind: known)), keptBecause: error)
            } else {
                self.init(summary: row.summary, opened: .failure(error))
            }
        }
    }

    private func secret(of row: CredentialSummary) -> Credential.Kind? {
        guard case .success(let credential) = opened, summary.kind == row.kind, summary.team == row.team,
            summary.keyID == row.keyID, summary.fingerprint == row.fingerprint
        else { return nil }
        return credential.kind
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
