import NIOPosix
package import PushModel

/// The credential rules of the Web Push output. A credential is a VAPID key pair. A subscription is bound to the key
/// pair with which its page subscribed.
package struct WebPushCredentials: OutputCredentials {
    package let accountName = "vapid"
    package let accountHelp = "A name for the VAPID key pair, of your own choosing"

    /// Whether an address works with one credential only. A push service refuses messages that are signed with another
    /// key than the subscription's (RFC 8292, section 4).
    package let addressesAreBound = true

    package init() {}

    package func need(of job: Job) -> CredentialNeed { CredentialNeed(topic: job.app) }

    package func uses(of app: String) -> [CredentialUse] {
        [CredentialUse(environment: .production, pushType: "any", need: CredentialNeed(topic: app))]
    }

    package func read(
        _ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp
    ) throws -> NewCredential {
        try Self.credential(
            try VAPIDKeyReader(passphrase: details.passphrase, subject: details.subject).read(files), details)
    }

    package func create(_ details: CredentialDetails, now: Timestamp) throws -> NewCredential {
        try Self.credential(VAPIDKey(subject: try VAPIDKeyReader.checked(details.subject)), details)
    }

    private static func credential(_ key: VAPIDKey, _ details: CredentialDetails) throws -> NewCredential {
        guard let account = details.account else {
            throw CredentialFault("--vapid is required: a name for the key pair, to which apps refer")
        }
        var new = NewCredential(
            kind: .secret(try key.sealed()), account: account, environments: [.production], topics: details.topics,
            fingerprint: key.fingerprint, label: details.label ?? key.subject)
        new.shown = [(name: "applicationServerKey", text: key.publicKeyText)]
        new.backup = key.pem
        return new
    }

    package func changed(_ credential: Credential, _ details: CredentialDetails) throws -> NewCredential {
        let old = try Self.key(of: credential)
        var details = details
        details.account = credential.account
        details.topics = credential.topics
        // A label that equals the old subject is the default, so it becomes the new subject.
        if details.label == old.subject { details.label = nil }
        return try Self.credential(old.with(subject: try VAPIDKeyReader.checked(details.subject)), details)
    }

    package func problem(with credential: Credential, _ settings: OutputSettings) -> String? {
        guard let key = try? Self.key(of: credential) else { return "holds no VAPID key" }
        return VAPIDSubject.problem(of: key.subject).map { "has a subject that \($0)" }
    }

    private static func key(of credential: Credential) throws -> VAPIDKey {
        guard case .secret(let secret) = credential.kind else { throw WebPushOutputError.notAKey }
        return try VAPIDKey(sealed: secret)
    }

    package func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) throws -> String {
        "the push services of browsers"
    }

    package func check(_ question: CredentialQuestion, _ context: OutputContext) async throws -> CredentialFinding {
        let check = WebPushCredentialCheck(
            configuration: try WebPushConfiguration(context.settings),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next())
        return await check.run(question.credential, recipient: question.recipient, now: context.clock())
    }
}
