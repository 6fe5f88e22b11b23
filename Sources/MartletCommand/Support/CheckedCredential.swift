import PushModel
import Routing
import Store

/// A credential that a command checks with its provider. It comes from the database or from files.
struct CheckedCredential {
    /// The credential's id, or `nil` if the credential comes from files.
    let id: Credential.ID?
    let label: String
    let output: String
    let account: String
    let environments: Set<PushEnvironment>
    let notBefore: Timestamp?
    let notAfter: Timestamp?
    let opened: Result<Credential, RowError>

    init(_ summary: CredentialSummary, _ opened: Result<Credential, RowError>) {
        id = summary.id
        label = summary.label
        output = summary.output
        account = summary.account
        environments = summary.environments
        notBefore = summary.notBefore
        notAfter = summary.notAfter
        self.opened = opened
    }

    init(_ new: NewCredential, of output: String, _ opened: Result<Credential, RowError>) {
        id = nil
        label = new.label
        self.output = output
        account = new.account
        environments = new.environments
        notBefore = new.notBefore
        notAfter = new.notAfter
        self.opened = opened
    }

    /// Returns the credential, or the reason why a request to the provider would be pointless.
    func usable(at now: Timestamp) -> Result<Credential, RowError> {
        if let notAfter, now >= notAfter {
            return .failure(
                RowError("it expired on \(notAfter.rfc3339): import the renewed one"))
        }
        if let notBefore, now < notBefore {
            return .failure(RowError("it is not valid before \(notBefore.rfc3339)"))
        }
        return opened
    }
}
