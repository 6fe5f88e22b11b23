/// The credential rules of an output: how credentials are read from files, which one a job requires, and how to check
/// that the provider accepts one.
public protocol OutputCredentials: Sendable {
    /// The provider's word for an account, which owns credentials: `team`, `project`.
    var accountName: String { get }

    /// A description of an account's id for people, as the beginning of a sentence.
    var accountHelp: String { get }

    /// Returns the reason why no account of the provider can have this id, or `nil` if one can. A message shows it
    /// after "NAME ID ". The default is `nil`.
    func problem(ofAccount id: String) -> String?

    /// Returns the requirements of a job. Every job needs this call, so work that is possible in advance must not be
    /// done here.
    func need(of job: Job) -> CredentialNeed

    /// Returns all requirements that jobs of an app may have. Commands show people which credential the app would get
    /// for each.
    func uses(of app: String) -> [CredentialUse]

    /// Whether a recipient's address works only with the key that it was made with, as a Web Push subscription does. An
    /// account then has at most one credential in use, because a second one would fail the first one's recipients.
    /// The default is `false`.
    var addressesAreBound: Bool { get }

    /// Reads a credential from files in the form that the provider issues.
    ///
    /// - Parameter files: one file, or several files that belong together.
    /// - Throws: ``CredentialFault`` that names the file.
    func read(_ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp) throws -> NewCredential

    /// Creates a credential that no provider issues, such as a key pair of the operator's own.
    ///
    /// - Throws: ``CredentialFault``. The default implementation always throws it.
    func create(_ details: CredentialDetails, now: Timestamp) throws -> NewCredential

    /// Changes the details that a person gave for a credential, such as its subject. The key and its fingerprint stay
    /// the same.
    ///
    /// - Parameter details: the new details. `label` is the current or the new label.
    /// - Throws: ``CredentialFault``. The default implementation always throws, because nothing can be changed.
    func changed(_ credential: Credential, _ details: CredentialDetails) throws -> NewCredential

    /// Returns the reason why a readable credential will not work, or `nil` (the default) if no reason is known.
    /// Either workers with these settings cannot use it, or a provider will refuse it. `credential import` and `doctor`
    /// call this function. The text is a predicate whose subject is the credential.
    ///
    /// - Throws: ``SettingFault``.
    func problem(with credential: Credential, _ settings: OutputSettings) throws -> String?

    /// Returns the target of a credential check, in a form for people.
    ///
    /// - Throws: ``SettingFault``.
    func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) throws -> String

    /// Checks whether the provider accepts a credential. Without a recipient, nothing is delivered.
    ///
    /// - Throws: ``SettingFault``.
    func check(_ question: CredentialQuestion, _ context: OutputContext) async throws -> CredentialFinding
}

extension OutputCredentials {
    public var accountHelp: String { "Id of the \(accountName)" }

    public func problem(ofAccount id: String) -> String? { nil }

    public var addressesAreBound: Bool { false }

    public func problem(with credential: Credential, _ settings: OutputSettings) throws -> String? { nil }

    public func changed(_ credential: Credential, _ details: CredentialDetails) throws -> NewCredential {
        throw CredentialFault("can't be changed: import it again and retire this one")
    }

    public func create(_ details: CredentialDetails, now: Timestamp) throws -> NewCredential {
        throw CredentialFault("can't be made here: import the file that the provider gives out")
    }
}
