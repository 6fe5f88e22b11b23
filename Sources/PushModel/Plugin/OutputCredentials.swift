/// The credential rules of an output: how to read credentials from files, which credential a job requires, and how to
/// check that the provider accepts a credential.
public protocol OutputCredentials: Sendable {
    /// The provider's term for an account, such as `team` or `project`. An account owns credentials.
    var accountName: String { get }

    /// The help text for an account's id. It is the beginning of a sentence.
    var accountHelp: String { get }

    /// Returns the reason why no account of the provider can have this id, or `nil` if the id is possible. Messages
    /// place the reason after the account's option and id, so it begins with a verb. The default implementation returns
    /// `nil`.
    func problem(ofAccount id: String) -> String?

    /// Returns the requirements of a job for its credential. This method is called for every job, so it must be cheap.
    func need(of job: Job) -> CredentialNeed

    /// Returns every combination of environment and push type that jobs of an app may have, with its requirements.
    /// Commands use the list to show which credential the app would get for each combination.
    func uses(of app: String) -> [CredentialUse]

    /// Whether an address works only with the key with which it was made, as a Web Push subscription does. An account
    /// then has at most one credential in use. A second credential could not reach the recipients whose addresses
    /// belong to the first. The default is `false`.
    var addressesAreBound: Bool { get }

    /// Reads a credential from files in the form that the provider issues.
    ///
    /// - Parameter files: one file, or several files that belong together.
    /// - Throws: ``CredentialFault``, which names the file if one is at fault.
    func read(_ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp) throws -> NewCredential

    /// Creates a credential that no provider issues, such as a new key pair of the operator.
    ///
    /// - Throws: ``CredentialFault`` if the details are insufficient. The default implementation always throws it.
    func create(_ details: CredentialDetails, now: Timestamp) throws -> NewCredential

    /// Returns a credential with changed details, such as a new subject. The key and its fingerprint stay the same.
    ///
    /// - Parameter details: the new details. `label` is the current or the new label.
    /// - Throws: ``CredentialFault`` if a detail cannot be changed. The default implementation always throws it.
    func changed(_ credential: Credential, _ details: CredentialDetails) throws -> NewCredential

    /// Returns the reason why workers with these settings cannot use a credential, or why the provider will refuse it.
    /// Returns `nil` if no such reason is known. The text continues a sentence that starts with the credential's name.
    /// `credential import`, `credential create` and `doctor` call this method. The default implementation returns
    /// `nil`.
    ///
    /// - Throws: ``SettingFault`` if a setting is invalid.
    func problem(with credential: Credential, _ settings: OutputSettings) throws -> String?

    /// Returns a text for operators that names the server of a credential check.
    ///
    /// - Throws: ``SettingFault`` if a setting is invalid.
    func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) throws -> String

    /// Checks whether the provider accepts a credential. If the question has no recipient, the request names no real
    /// one, so nothing is delivered.
    ///
    /// - Throws: ``SettingFault`` if a setting is invalid.
    func check(_ question: CredentialQuestion, _ context: OutputContext) async throws -> CredentialFinding
}

extension OutputCredentials {
    public var accountHelp: String { "Id of the \(accountName)" }

    public func problem(ofAccount id: String) -> String? { nil }

    public var addressesAreBound: Bool { false }

    public func problem(with credential: Credential, _ settings: OutputSettings) throws -> String? { nil }

    public func changed(_ credential: Credential, _ details: CredentialDetails) throws -> NewCredential {
        throw CredentialFault("cannot be changed: import it again and retire this one")
    }

    public func create(_ details: CredentialDetails, now: Timestamp) throws -> NewCredential {
        throw CredentialFault("cannot be created here: import the file that the provider issues")
    }
}
