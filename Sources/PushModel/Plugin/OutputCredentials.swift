/// What an output knows of its credentials: which files they come from, which of them a job needs, whether the provider
/// accepts one.
public protocol OutputCredentials: Sendable {
    /// What the provider calls an account, whose credentials these are: `team`, `project`.
    var accountName: String { get }

    /// What an account's id is, for people; begins a sentence.
    var accountHelp: String { get }

    /// Why no account of the provider's has this id, after "NAME ID "; nil, the default: one may.
    func problem(ofAccount id: String) -> String?

    /// What a credential must be good for to send this job. Asked for every job: no work that can be done before.
    func need(of job: Job) -> CredentialNeed

    /// Everything an app may need of a credential, for people who look which one it would get.
    func uses(of app: String) -> [CredentialUse]

    /// Whether a recipient's address works only with the key that it was made with, as a Web Push subscription does. An
    /// account then has at most one credential in use, because a second one would fail the first one's recipients.
    /// The default is `false`.
    var addressesAreBound: Bool { get }

    /// Makes a credential of files as the provider gives them out.
    ///
    /// - Parameter files: one, or several that belong together.
    /// - Throws: ``CredentialFault``, naming the file.
    func read(_ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp) throws -> NewCredential

    /// Makes a credential that no provider gives out, such as a key pair of one's own.
    ///
    /// - Throws: ``CredentialFault``; by default always.
    func create(_ details: CredentialDetails, now: Timestamp) throws -> NewCredential

    /// Changes the details that a person gave for a credential, such as its subject. The key and its fingerprint stay
    /// the same.
    ///
    /// - Parameter details: the new details. `label` is the current or the new label.
    /// - Throws: ``CredentialFault``. The default implementation always throws, because nothing can be changed.
    func changed(_ credential: Credential, _ details: CredentialDetails) throws -> NewCredential

    /// Returns the reason why a credential that opens will not work, or `nil` (the default) if no reason is known.
    /// Either workers with these settings cannot use it, or a provider will refuse it. Used by `credential import` and
    /// `doctor`. The text is a predicate whose subject is the credential.
    ///
    /// - Throws: ``SettingFault``.
    func problem(with credential: Credential, _ settings: OutputSettings) throws -> String?

    /// Where a check of a credential goes, for people.
    ///
    /// - Throws: ``SettingFault``.
    func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) throws -> String

    /// Finds out whether the provider accepts a credential; without a recipient nothing is delivered.
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
